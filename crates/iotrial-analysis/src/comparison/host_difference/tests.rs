//! Runs on hosts that differ in known ways.

use iotrial_model::host_fact::{Fact, TargetChain};
use iotrial_model::record::RunRecord;
use iotrial_model::subject::Subject;

use super::*;
use crate::comparison::{CompareRequest, Comparison, Sample};
use crate::test_record::measured;

fn part(kind: PartKind, name: &str, facts: &[(FactId, FactValue)]) -> Part {
    let fact = |(id, value): &(FactId, FactValue)| Fact {
        id: *id,
        reading: Reading::Known(value.clone()),
        from: String::new(),
    };
    Part { facts: facts.iter().map(fact).collect(), ..Part::new(kind, name) }
}

fn disk(name: &str, scheduler: &str) -> Part {
    let facts =
        [(FactId::Scheduler, FactValue::text(scheduler)), (FactId::Transport, FactValue::text("virtio"))];
    part(PartKind::Disk, name, &facts)
}

/// A host with a chain for each target: a file system and its disks.
fn host(targets: &[(&str, &[Part])]) -> HostReport {
    let chain = |(number, (target, disks)): (usize, &(&str, &[Part]))| {
        let free = (FactId::FreePercent, FactValue::Number(40 + i64::try_from(number).unwrap()));
        let mut parts = vec![part(PartKind::Filesystem, target, &[free])];
        parts.extend_from_slice(disks);
        TargetChain { target: (*target).to_owned(), parts, ends: None }
    };
    let memory = (FactId::Memory, FactValue::Number(16 << 30));
    HostReport {
        name: "db".into(),
        host: part(PartKind::Host, "db", &[memory]),
        chains: targets.iter().enumerate().map(chain).collect(),
    }
}

/// `target part fact: A | B`, a line each.
fn told(hosts: &[(&str, Vec<&HostReport>)]) -> Vec<String> {
    let values =
        |values: &HostValues| values.values.iter().map(ToString::to_string).collect::<Vec<_>>().join("+");
    let line = |one: HostDifference| {
        let target = one.target.map(|target| format!("{target} ")).unwrap_or_default();
        let fact = one.fact.map_or("count", FactId::as_str);
        let all: Vec<String> = one.values.iter().map(values).collect();
        format!("{target}{} {fact}: {}", one.part.as_str(), all.join(" | "))
    };
    HostDifference::between(hosts).into_iter().map(line).collect()
}

#[test]
fn a_changed_scheduler_is_told_and_names_and_free_space_are_not() {
    let before = host(&[("/data", &[disk("sdb", "none")])]);
    let mut after = host(&[("/mnt/x", &[disk("vdc", "bfq")])]);
    after.chains[0].parts[0].facts.clear();
    assert_eq!(told(&[("A", vec![&before]), ("B", vec![&after])]), ["disk scheduler: none | bfq"]);
    assert!(told(&[("A", vec![&before]), ("B", vec![&before])]).is_empty());
    // Nobody looked at the other one.
    assert!(told(&[("A", vec![&before]), ("B", vec![])]).is_empty());
}

#[test]
fn one_disk_against_three_is_told_by_their_number_and_memory_that_is_nearly_the_same_is_not() {
    let one = host(&[("/data", &[disk("sdb", "none")])]);
    let disks = [disk("sdb", "none"), disk("sdc", "none"), disk("sdd", "bfq")];
    let mut three = host(&[("/data", &disks)]);
    three.host.facts[0].reading = Reading::Known(FactValue::Number((16 << 30) - (100 << 20)));
    let all = told(&[("A", vec![&one]), ("B", vec![&three])]);
    assert_eq!(all, ["disk count: 1 | 3", "disk scheduler: none | none+bfq"]);
}

#[test]
fn what_differs_below_one_target_only_is_told_with_it() {
    let before = host(&[("/data", &[disk("sdb", "none")]), ("/log", &[disk("sdc", "none")])]);
    let after = host(&[("/data", &[disk("sdb", "none")]), ("/log", &[disk("sdc", "bfq")])]);
    assert_eq!(told(&[("A", vec![&before]), ("B", vec![&after])]), ["/log disk scheduler: none | bfq"]);
    let both = host(&[("/data", &[disk("sdb", "bfq")]), ("/log", &[disk("sdc", "bfq")])]);
    assert_eq!(told(&[("A", vec![&before]), ("B", vec![&both])]), ["disk scheduler: none | bfq"]);
}

#[test]
fn repeats_of_one_configuration_on_hosts_that_differ_are_told_even_where_the_other_has_the_same() {
    let (none, bfq) = (host(&[("/data", &[disk("sdb", "none")])]), host(&[("/data", &[disk("sdb", "bfq")])]));
    let all = told(&[("A", vec![&none, &bfq]), ("B", vec![&none, &bfq])]);
    assert_eq!(all, ["disk scheduler: none+bfq | none+bfq"]);
}

fn run(id: &str, label: &str, host: HostReport) -> RunRecord {
    let record = measured(60, |_| 1_000).with_host_facts(Some(host));
    RunRecord { id: id.to_owned(), label: Some(label.to_owned()), ..record }
}

fn compare(records: &[RunRecord], by: Option<&str>) -> Comparison {
    let samples = records.iter().map(|record| Sample::of(&Subject::of_run(record), record.id.clone()));
    let request = CompareRequest { by: by.map(str::to_owned), ..CompareRequest::default() };
    Comparison::new(samples.collect(), &request).unwrap_or_else(|error| panic!("{error}"))
}

fn on(transport: &str, queues: i64) -> HostReport {
    let facts = [
        (FactId::Transport, FactValue::text(transport)),
        (FactId::HardwareQueues, FactValue::Number(queues)),
    ];
    host(&[("/data", &[part(PartKind::Disk, "sdb", &facts)])])
}

#[test]
fn what_the_hosts_show_is_a_factor_where_nothing_that_was_written_down_tells_configurations_apart() {
    let records = [run("a", "old", on("virtio-scsi", 1)), run("b", "new", on("nvme", 8))];
    let comparison = compare(&records, None);
    // The number of queues changes along with the attachment, and is no factor of its own.
    let factors: Vec<&str> = comparison.factors.iter().map(|one| one.attribute.as_str()).collect();
    assert_eq!(factors, ["attachment"]);
    assert_eq!(comparison.configurations[1].attributes["attachment"].to_string(), "nvme");
    assert_eq!(comparison.host_differences.len(), 2);
    let by_queues = compare(&records, Some("hardware_queues"));
    assert_eq!(by_queues.factors[0].attribute, "hardware_queues");
}

#[test]
fn attributes_of_the_user_win_and_stay_alone() {
    let mut records = [run("a", "old", on("virtio-scsi", 1)), run("b", "new", on("nvme", 8))];
    for (record, volumes) in records.iter_mut().zip([1, 3]) {
        record.attributes.insert("volumes".into(), iotrial_model::record::AttributeValue::Integer(volumes));
    }
    let comparison = compare(&records, None);
    let factors: Vec<&str> = comparison.factors.iter().map(|one| one.attribute.as_str()).collect();
    assert_eq!(factors, ["volumes"]);
    assert!(!comparison.configurations[0].attributes.contains_key("attachment"));
    // Two runs under one label stay repeats, whatever their hosts: that is told, and refused nowhere.
    let records = [
        run("a", "old", on("virtio-scsi", 1)),
        run("b", "old", on("nvme", 1)),
        run("c", "new", on("nvme", 1)),
    ];
    let comparison = compare(&records, None);
    assert_eq!(comparison.configurations[0].run_count(), 2);
    assert!(comparison.factors.is_empty());
    let values = &comparison.host_differences[0].values[0].values;
    assert_eq!(values.len(), 2, "{values:?}");
}
