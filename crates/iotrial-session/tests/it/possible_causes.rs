//! Possible causes of slow results: runs on a simulated device whose truth is known, with the host of a description in their records.

use std::path::PathBuf;
use std::sync::Arc;

use crate::described::Tree;
use iotrial_analysis::summary::Summary;
use iotrial_analysis::threshold::ThresholdSet;
use iotrial_analysis::verdict::Category;
use iotrial_host::report::read_host;
use iotrial_measure::control::Control;
use iotrial_model::plan::{EngineKind, Plan, SimDevice};
use iotrial_model::profile::Profile;
use iotrial_model::record::{Interval, RunRecord};
use iotrial_model::subject::Subject;
use iotrial_session::judged_profile::JudgedProfile;
use iotrial_session::observer::Observer;
use iotrial_session::request::{Aim, LoadRequest, RigRequest};
use iotrial_session::run;
use iotrial_session::setup::Setup;

struct Nobody;

impl Observer for Nobody {
    fn say(&self, _: &str) {}
    fn warn(&self, _: &str) {}
    fn layout(&self, _: u64, _: u64) {}
    fn start(&self, _: &RunRecord, _: bool) {}
    fn interval(&self, _: &Plan, _: &Interval) {}
    fn finish(&self) {}
}

/// Random reads, so many at once.
fn profile(iodepth: u32) -> String {
    format!(
        "format = \"iotrial.profile/1\"\nname = \"sqlserver-reads\"\ntitle = \"Reads\"\n\
         schedule = {{ ramp = \"1s\", duration = \"3s\" }}\nquick = {{ size = \"1GiB\", ramp = \"1s\", duration = \"3s\" }}\n\
         [[job]]\nname = \"pages\"\nrole = \"data\"\npattern = \"random\"\nrwmix_read_percent = 100\nblock_size = \"8KiB\"\n\
         iodepth = {iodepth}\nsize = \"1GiB\"\n"
    )
}

/// A run of `iodepth` reads at once on a device that serves eight in `service_us`, with the host of the description.
fn record(service_us: f64, iodepth: u32, host: &str) -> RunRecord {
    let store = tempfile::tempdir().unwrap();
    let load = JudgedProfile {
        profile: Profile::parse(&profile(iodepth)).unwrap(),
        thresholds: ThresholdSet::builtin("flash").unwrap(),
    };
    let sim = SimDevice { service_time_us: service_us, parallelism: 8, ..SimDevice::default() };
    let rig = RigRequest {
        engine: Some(EngineKind::Sim),
        sim: Some(sim),
        seed: Some(1),
        store: Some(store.path().to_owned()),
        ..RigRequest::default()
    };
    let request = LoadRequest { aim: Aim::Figures, rig, ..LoadRequest::default() };
    let setup = Setup::new(load, &request).unwrap();
    let record = run::run(setup, Arc::new(Control::default()), Arc::new(Nobody)).unwrap().record;
    assert!(record.host_facts.is_none(), "a simulated device is on no host");
    let tree = Tree::of(host);
    let report = read_host(&[PathBuf::from("/data")], Some(tree.folder.path())).unwrap();
    record.with_host_facts(Some(report))
}

fn causes(record: &RunRecord) -> (Option<Category>, Vec<String>) {
    // As it is read from its file, too.
    let read: RunRecord = serde_json::from_str(&serde_json::to_string(record).unwrap()).unwrap();
    assert_eq!(read.host_facts, record.host_facts);
    read.check().unwrap();
    let summary = Summary::new(&Subject::of_run(&read), &ThresholdSet::builtin("flash").unwrap());
    let told = summary.possible_causes.iter().map(|one| format!("{}: {}", one.rule, one.found)).collect();
    (summary.verdict.category, told)
}

/// A SAN LUN with the queue depth of a driver's default, `bfq`, and one interrupt for four queues.
const SAN: &str = "\
base physical
disk pci0000:00/0000:00:05.0/host2/rport-2:0-0/target2:0:0/2:0:0:0/block/sdb 8:16 scheduler=none_[bfq] device/queue_depth=32 device/state=running mq/0/x=1 mq/1/x=1 mq/2/x=1 mq/3/x=1
file /sys/devices/pci0000:00/0000:00:05.0/msi_irqs/40 = msix
file /sys/devices/pci0000:00/0000:00:05.0/msi_irqs/41 = msix
mount 8:16 /data rw,noatime xfs /dev/sdb rw
";

#[test]
fn a_slow_result_has_the_settings_that_may_be_why_and_a_good_one_none() {
    // 64 at once on a device that serves eight in 4 ms: 32 ms each.
    let (category, told) = causes(&record(4_000.0, 64, SAN));
    assert_eq!(category, Some(Category::Critical));
    assert_eq!(told, ["queue-in-use: 32", "scheduler: bfq", "one-interrupt: 1"], "{told:?}");
    // The same host under the same load, with a device that is fast enough.
    let (category, told) = causes(&record(50.0, 64, SAN));
    assert!(category.is_some_and(|category| category <= Category::Acceptable), "{category:?}");
    assert_eq!(told, Vec::<String>::new());
}

#[test]
fn a_queue_that_the_load_does_not_fill_is_no_cause() {
    let (category, told) = causes(&record(40_000.0, 8, SAN));
    assert_eq!(category, Some(Category::Critical));
    assert_eq!(told, ["scheduler: bfq", "one-interrupt: 1"], "{told:?}");
}

#[test]
fn one_queue_and_a_paravirtual_driver_of_a_cloud_are_offered_with_what_speaks_against_them() {
    let host = "\
base aws
disk vbd-51728/block/xvdb 202:16 mq/0/x=1
link /sys/devices/vbd-51728/driver -> /sys/bus/xen/drivers/vbd
mount 202:16 /data rw,noatime xfs /dev/xvdb rw
";
    let record = record(4_000.0, 64, host);
    let (_, told) = causes(&record);
    assert_eq!(told, ["one-queue: 1", "paravirtual-disk: vbd"], "{told:?}");
    let summary = Summary::new(&Subject::of_run(&record), &ThresholdSet::builtin("flash").unwrap());
    assert!(summary.possible_causes.iter().all(|one| !one.why.is_empty() && !one.source.is_empty()));
    assert!(summary.possible_causes[1].why.contains("measure both"), "{:?}", summary.possible_causes[1]);
}

#[test]
fn a_record_without_a_host_has_no_causes() {
    let (_, told) = causes(&RunRecord { host_facts: None, ..record(4_000.0, 64, SAN) });
    assert_eq!(told, Vec::<String>::new());
}
