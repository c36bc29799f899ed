use iotrial_model::finding::FindingId;
use iotrial_model::host_fact::{Fact, Part, Reading, TargetChain};
use iotrial_model::wanted::{FactRelation, WantedPart};

use super::*;

fn part(kind: PartKind, name: &str, facts: &[(FactId, FactValue)]) -> Part {
    let fact = |(id, value): &(FactId, FactValue)| Fact {
        id: *id,
        reading: Reading::Known(value.clone()),
        from: format!("/sys/{name}/{id}"),
    };
    Part { facts: facts.iter().map(fact).collect(), ..Part::new(kind, name) }
}

/// A host with one chain, each part below the one before it.
fn host(facts: &[(FactId, FactValue)], mut parts: Vec<Part>) -> HostReport {
    for at in 1..parts.len() {
        parts[at - 1].carried_by.push(at);
    }
    let chain = TargetChain { target: "/data".into(), parts, ends: None };
    HostReport { name: "db01".into(), host: part(PartKind::Host, "db01", facts), chains: vec![chain] }
}

fn rules(text: &str) -> RuleSet {
    RuleSet::parse(&format!("format = \"iotrial.host-rules/1\"\n{text}")).unwrap()
}

/// A rule about the start of a partition, with what is wanted and when.
fn rule(of: &str, fact: &str, want: &str, when: &str) -> RuleSet {
    let when = if when.is_empty() { String::new() } else { format!("when = [{when}]\n") };
    rules(&format!(
        "[[rule]]\nid = \"r\"\ntitle = \"t\"\nof = [\"{of}\"]\n{when}fact = \"{fact}\"\nwant = {{ {want} }}\n\
         severity = \"high\"\nwhy = \"w\"\nchange = \"set {{limit}} in {{from}} of {{name}}\"\nsource = \"s\"\n"
    ))
}

#[test]
fn all_built_in_rules_parse_and_have_ids_of_their_own() {
    let rules = builtin_rules();
    assert!(rules.rules.len() >= 50, "{}", rules.rules.len());
    for (at, rule) in rules.rules.iter().enumerate() {
        // A document shows both in the same place.
        assert_eq!(FindingId::from_word(&rule.id), None, "{}", rule.id);
        assert!(rules.rules[..at].iter().all(|other| other.id != rule.id), "{}", rule.id);
        assert!(
            !rule.source.is_empty() && rule.why.ends_with('.') && !rule.title.ends_with('.'),
            "{}",
            rule.id
        );
    }
}

#[test]
fn a_wrong_value_is_a_finding_with_what_is_wanted_and_how_to_change_it() {
    let disk =
        |name: &str, depth| part(PartKind::Disk, name, &[(FactId::QueueDepth, FactValue::Number(depth))]);
    let answer = judge_host(
        host(&[], vec![disk("sda", 32), disk("sdb", 64), disk("sdc", 32)]),
        &rule("disk", "queue_depth", "any = { at_least = 64 }", ""),
        None,
    );
    let [finding] = answer.findings.as_slice() else { panic!("{:?}", answer.findings) };
    assert_eq!(finding.parts, ["sda", "sdc"]);
    assert_eq!(finding.found, "32");
    assert_eq!(finding.wanted.parts, [WantedPart::AtLeast(64)]);
    assert_eq!(finding.change[0], "set 64 in /sys/sda/queue_depth of sda");
    assert_eq!(answer.good, [GoodSetting { rule: "r".into(), part: "sdb".into(), found: "64".into() }]);
    assert!(answer.has_grave_findings());
}

#[test]
fn what_a_database_wants_comes_before_what_all_want_and_without_either_nothing_is_judged() {
    let swappiness = [(FactId::Swappiness, FactValue::Number(10))];
    let count = |want: &str, database| {
        let answer = judge_host(host(&swappiness, vec![]), &rule("host", "swappiness", want, ""), database);
        (answer.findings.len(), answer.good.len(), answer.rules_for_databases)
    };
    let both = "any = { at_most = 10 }, sqlserver = { at_most = 1 }";
    assert_eq!(count(both, None), (0, 1, 0));
    assert_eq!(count(both, Some(Database::SqlServer)), (1, 0, 0));
    assert_eq!(count(both, Some(Database::MySql)), (0, 1, 0));
    assert_eq!(count("sqlserver = { at_most = 1 }", Some(Database::MySql)), (0, 0, 0));
    assert_eq!(count("sqlserver = { at_most = 1 }", None), (0, 0, 1));
}

#[test]
fn a_fact_that_could_not_be_read_is_unknown_and_one_that_the_part_does_not_have_is_no_gap() {
    let mut disk = Part::new(PartKind::Disk, "sda");
    let queue_depth = rule("disk", "queue_depth", "any = { at_least = 64 }", "");
    let answer = judge_host(host(&[], vec![disk.clone()]), &queue_depth, None);
    assert_eq!((answer.findings.len(), answer.good.len(), answer.unknown.len()), (0, 0, 0));
    disk.facts.push(Fact {
        id: FactId::QueueDepth,
        reading: Reading::Unknown("permission denied".into()),
        from: "/sys".into(),
    });
    let answer = judge_host(host(&[], vec![disk]), &queue_depth, None);
    assert_eq!((answer.findings.len(), answer.good.len()), (0, 0));
    assert_eq!(answer.unknown[0].why, "permission denied");
    assert_eq!(
        (answer.unknown[0].parts.as_slice(), answer.unknown[0].rules.as_slice()),
        (&["sda".to_owned()][..], &["r".to_owned()][..])
    );
}

#[test]
fn a_condition_asks_the_part_then_those_below_then_the_host() {
    let disk = part(
        PartKind::Disk,
        "sda",
        &[(FactId::Scheduler, FactValue::text("bfq")), (FactId::Transport, FactValue::text("scsi"))],
    );
    let found = |when: &str| {
        let host = host(&[(FactId::Platform, FactValue::text("azure"))], vec![disk.clone()]);
        let rules = rule("disk", "scheduler", "any = { one_of = [\"none\"] }", when);
        judge_host(host, &rules, None).findings.len()
    };
    assert_eq!(found(""), 1);
    assert_eq!(
        found("{ fact = \"transport\", one_of = [\"scsi\"] }, { fact = \"platform\", one_of = [\"azure\"] }"),
        1
    );
    assert_eq!(found("{ fact = \"platform\", none_of = [\"azure\"] }"), 0);
    assert_eq!(found("{ of = [\"share\"], fact = \"nfs_version\", one_of = [\"3\"] }"), 0);
}

#[test]
fn a_fact_is_compared_with_that_of_a_part_below_and_with_nothing_where_none_has_it() {
    let start = |bytes| part(PartKind::Partition, "sda1", &[(FactId::Start, FactValue::Number(bytes))]);
    let disk = |minimum| part(PartKind::Disk, "sda", &[(FactId::MinimumIo, FactValue::Number(minimum))]);
    let aligned = rule("partition", "start_bytes", "any = { multiple_of_fact = \"minimum_io_bytes\" }", "");
    let outcome = |parts: Vec<Part>| {
        let answer = judge_host(host(&[], parts), &aligned, None);
        (answer.findings.first().map(|one| one.wanted.parts.clone()), answer.good.len())
    };
    assert_eq!(outcome(vec![start(1 << 20), disk(65536)]), (None, 1));
    let multiple = WantedPart::Compared {
        relation: FactRelation::MultipleOf,
        other: FactId::MinimumIo,
        value: Some(FactValue::Number(262_144)),
    };
    assert_eq!(outcome(vec![start(65536), disk(262_144)]), (Some(vec![multiple]), 0));
    assert_eq!(outcome(vec![start(63 * 512)]), (None, 0));

    let volume = |unit| part(PartKind::Array, "md0", &[(FactId::StripeUnit, FactValue::Number(unit))]);
    let file = |unit| part(PartKind::Filesystem, "/data", &[(FactId::StripeUnit, FactValue::Number(unit))]);
    let same = rule("filesystem", "stripe_unit_bytes", "any = { equals_fact = \"stripe_unit_bytes\" }", "");
    let count = |parts| judge_host(host(&[], parts), &same, None).findings.len();
    assert_eq!(count(vec![file(0), volume(65536)]), 1);
    assert_eq!(count(vec![file(65536), volume(65536)]), 0);
    assert_eq!(count(vec![file(0), volume(0)]), 0, "a mirror has no stripes");
}

#[test]
fn a_name_that_a_shell_would_take_apart_is_quoted_in_the_command() {
    let disk = part(PartKind::Disk, "a; rm -rf '/'", &[(FactId::QueueDepth, FactValue::Number(1))]);
    let answer =
        judge_host(host(&[], vec![disk]), &rule("disk", "queue_depth", "any = { at_least = 64 }", ""), None);
    assert!(
        answer.findings[0].change[0].ends_with(r"of 'a; rm -rf '\''/'\'''"),
        "{}",
        answer.findings[0].change[0]
    );
}

#[test]
fn mistakes_in_rules_are_told_with_their_place_and_what_was_meant() {
    let check = |line: &str, expected: &str| {
        let text = format!(
            "format = \"iotrial.host-rules/1\"\n[[rule]]\nid = \"r\"\ntitle = \"t\"\nof = [\"disk\"]\nwhy = \"w\"\nsource = \"s\"\n{line}\n"
        );
        let message = RuleSet::parse(&text).unwrap_err().to_string();
        assert!(message.contains(expected), "{line}: {message}");
    };
    let good = "fact = \"queue_depth\"\nseverity = \"high\"";
    check(
        "fact = \"queue_dept\"\nwant.any = { at_least = 1 }\nseverity = \"high\"",
        "did you mean `queue_depth`",
    );
    check(&format!("{good}\nwant.any = {{ at_leest = 1 }}"), "at_least");
    check(&format!("{good}\nwant.any = {{ at_least = \"many\" }}"), "must be a number");
    check(&format!("{good}\nwant.any = {{ multiple_of = 0 }}"), "more than zero");
    check(&format!("{good}\nwant.oracel = {{ at_least = 1 }}"), "oracel");
    check(&format!("{good}\nwant = {{ }}"), "`any` or a database");
    check("fact = \"queue_depth\"\nwant.any = { at_least = 1 }\nseverity = \"huge\"", "severity");
    assert!(RuleSet::parse("").is_err() && RuleSet::parse("format = \"x\"").is_err());
}
