//! A store with every kind of file, made by sessions on simulated devices.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::sync::Mutex;

use iotrial_measure::control::Control;
use iotrial_model::application::ApplicationMetrics;
use iotrial_model::content::Checksum;
use iotrial_model::given_target::GivenTarget;
use iotrial_model::plan::{EngineKind, Plan};
use iotrial_model::record::{Interval, RunRecord};
use iotrial_model::study::Study;

use super::read::read_stored;
use super::*;
use crate::judged_profile::JudgedProfile;
use crate::request::{LoadRequest, RigRequest, StudyRequest, SweepLoads, SweepRequest};
use crate::run;
use crate::setup::Setup;
use crate::study::{ReadyStudy, StudyFile};
use crate::sweep::SweepSetup;

/// Hears what everybody must know.
#[derive(Default)]
struct Heard(Mutex<Vec<String>>);

impl Observer for Heard {
    fn say(&self, _: &str) {}
    fn warn(&self, text: &str) {
        self.0.lock().unwrap().push(text.to_owned());
    }
    fn layout(&self, _: u64, _: u64) {}
    fn start(&self, _: &RunRecord, _: bool) {}
    fn interval(&self, _: &Plan, _: &Interval) {}
    fn finish(&self) {}
}

/// A folder for a store, and what was heard of it.
struct Bench {
    folder: tempfile::TempDir,
    heard: Arc<Heard>,
}

impl Bench {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), heard: Arc::default() }
    }

    fn open(&self) -> Store {
        Store::open(Some(&self.place()), self.observer()).unwrap()
    }

    fn place(&self) -> PathBuf {
        self.folder.path().join("store")
    }

    fn observer(&self) -> Arc<dyn Observer> {
        Arc::<Heard>::clone(&self.heard)
    }

    fn heard(&self) -> String {
        self.heard.0.lock().unwrap().join("\n")
    }

    fn rig(&self, label: &str) -> RigRequest {
        RigRequest {
            targets: vec![GivenTarget::for_all("imagined")],
            engine: Some(EngineKind::Sim),
            seed: Some(1),
            label: Some(label.to_owned()),
            store: Some(self.place()),
            ..RigRequest::default()
        }
    }

    fn setup(&self, label: &str) -> Setup {
        let second = Some(std::time::Duration::from_secs(1));
        let request =
            LoadRequest { duration: second, ramp: second, rig: self.rig(label), ..LoadRequest::default() };
        Setup::new(JudgedProfile::load(Path::new(""), "oci-64k-randrw", None).unwrap(), &request).unwrap()
    }

    /// A run that was carried out.
    fn run(&self, label: &str) -> run::Finished {
        run::run(self.setup(label), Arc::new(Control::default()), self.observer())
            .unwrap_or_else(|error| panic!("{error}"))
    }

    /// The record of a run that is too large to be kept as text, and not in the store yet.
    fn large(&self) -> RunRecord {
        let mut record = self.run("large").record;
        record.id = ulid::Ulid::generate().to_string();
        record.attributes.extend((0..40_000).map(|number| {
            let key = format!("attribute {number} of a record that is larger than any that is kept as text");
            (key, iotrial_model::record::AttributeValue::Text("x".to_owned()))
        }));
        record
    }

    fn sweep(&self) -> SweepRecord {
        let request = SweepRequest {
            patterns: vec!["randread-8k".parse().unwrap()],
            loads: SweepLoads::Grid(vec![1, 4]),
            size: None,
            array_cache: None,
            step: Some(std::time::Duration::from_secs(1)),
            idle: None,
            repeats: None,
            precondition: None,
            until_steady: None,
            rig: self.rig("swept"),
        };
        let setup = SweepSetup::new(&request).unwrap_or_else(|error| panic!("{error}"));
        let swept = setup.carry_out(Arc::new(Control::default()), self.observer());
        swept.unwrap_or_else(|error| panic!("{error}")).record
    }

    fn study(&self, store: &Store) -> Study {
        let path = self.folder.path().join("study.toml");
        let text = "format = \"iotrial.study/1\"\nname = \"volumes\"\ntitle = \"Volumes\"\nprofiles = [\"oci-64k-randrw\"]\n\
                    repeats = 1\n[load]\nengine = \"sim\"\nduration = \"1s\"\nramp = \"0s\"\n\
                    [[configuration]]\nlabel = \"a\"\ntargets = [\"x\"]\n";
        fs::write(&path, text).unwrap();
        let file = StudyFile::read(&path).unwrap();
        let request = StudyRequest { store: Some(self.place()), ..StudyRequest::default() };
        let ready = ReadyStudy::new(&file, &request, store, self.observer());
        let carried = ready.unwrap().carry_out(None, Arc::new(Control::default())).unwrap();
        carried.result.unwrap();
        file.study
    }

    fn imported(&self) -> Kept {
        let record = serde_json::json!({
            "format": iotrial_model::imported::IMPORTED_FORMAT,
            "id": "7ZZZZZZZZZZZZZZZZZZZZZZZZZ",
            "label": "theirs",
            "source": {
                "kind": "fio-json", "tool": "fio", "file": "a.json", "place": "jobs[0]", "sha256": "", "read_by": "a test",
            },
        });
        keep_imported(&self.place(), &serde_json::from_value(record).unwrap()).unwrap()
    }
}

fn kinds(entries: &[Entry]) -> Vec<(Kind, &str)> {
    let mut kinds: Vec<(Kind, &str)> =
        entries.iter().map(|entry| (entry.kind, entry.label.as_deref().unwrap_or_default())).collect();
    kinds.sort_unstable();
    kinds
}

#[test]
fn runs_sweeps_imported_results_and_studies_are_listed_the_newest_first() {
    let bench = Bench::new();
    let store = bench.open();
    assert!(bench.imported().is_new && !bench.imported().is_new);
    bench.run("mine");
    bench.sweep();
    bench.study(&store);
    let entries = store.entries().unwrap();
    let all = [
        (Kind::Run, "a"),
        (Kind::Run, "mine"),
        (Kind::Sweep, "swept"),
        (Kind::Imported, "theirs"),
        (Kind::Study, "volumes"),
    ];
    assert_eq!(kinds(&entries), all);
    assert!(entries.is_sorted_by(|a, b| a.id > b.id), "{entries:#?}");
    assert!(entries.iter().all(|entry| entry.ended == "complete" && entry.path.is_file()), "{entries:#?}");
    let profiles = entries.iter().map(|entry| entry.profile.as_str());
    let profiles: std::collections::BTreeSet<&str> = profiles.collect();
    assert_eq!(profiles.into_iter().collect::<Vec<_>>(), ["fio JSON", "oci-64k-randrw", "study", "sweep"]);
    let simulated = entries.iter().filter(|entry| entry.is_simulated).map(|entry| entry.kind);
    let simulated: std::collections::BTreeSet<Kind> = simulated.collect();
    assert_eq!(simulated.into_iter().collect::<Vec<_>>(), [Kind::Run, Kind::Sweep, Kind::Study]);
    assert_eq!(bench.heard(), "");
}

#[test]
fn a_sweep_is_listed_with_the_highest_ceiling_of_its_curves() {
    let bench = Bench::new();
    let record = bench.sweep();
    let entry = bench.open().entries().unwrap().remove(0);
    let summary = iotrial_analysis::sweep::SweepSummary::new(&record);
    let found = summary.curves[0].saturation.as_ref().unwrap();
    assert_eq!((entry.kind, entry.ceiling_iops), (Kind::Sweep, Some(found.ceiling_iops)));
    assert_eq!(entry.is_lower_bound, !found.is_reached);
    // Neither the rate of one load nor one within limits.
    assert_eq!((entry.iops, entry.capacity_iops), (None, None));
}

#[test]
fn an_index_that_is_gone_or_damaged_is_made_anew() {
    let bench = Bench::new();
    let store = bench.open();
    bench.run("mine");
    bench.sweep();
    let entries = store.entries().unwrap();
    assert_eq!(entries.len(), 2);
    let index = store.folder().join(index::NAME);
    let whole = fs::read(&index).unwrap();
    let damaged = || fs::write(&index, [&whole[..100], &vec![0xff; whole.len() - 100]].concat()).unwrap();
    let spoil: [&dyn Fn(); 2] = [&|| {}, &damaged];
    for spoil in spoil {
        fs::remove_file(&index).unwrap();
        spoil();
        assert_eq!(store.entries().unwrap(), entries);
        assert_eq!(store.entries().unwrap(), entries);
    }
    assert_eq!(bench.heard(), "");
}

#[test]
fn a_file_that_grows_under_its_name_is_read_again_and_one_that_is_gone_is_forgotten() {
    let bench = Bench::new();
    let store = bench.open();
    let mut record = bench.sweep();
    let run = bench.run("mine");
    assert_eq!(store.entries().unwrap().len(), 2);
    record.label = Some("the same sweep, called otherwise".to_owned());
    store.write_sweep(&record).unwrap();
    fs::remove_file(&run.path).unwrap();
    let entries = store.entries().unwrap();
    assert_eq!(kinds(&entries), [(Kind::Sweep, "the same sweep, called otherwise")]);
    assert_eq!(Index::read(store.folder()).unwrap().entries().count(), 1);
}

#[test]
fn a_record_is_found_by_the_beginning_of_its_id_and_a_label_stands_for_what_can_be_compared() {
    let bench = Bench::new();
    let store = bench.open();
    let (first, second) = (bench.run("swept"), bench.run("swept"));
    let sweep = bench.sweep();
    let found = store.find(&first.record.id.to_lowercase()).unwrap();
    assert_eq!(found, first.path);
    assert!(store.find(&sweep.id).unwrap().to_string_lossy().ends_with(".iotrial-sweep.json"));
    assert!(matches!(store.find("0"), Err(FindError::Several { count: 3, .. })));
    assert!(matches!(store.find("Z"), Err(FindError::None { .. })));
    // The oldest first, and no sweep among them.
    let mut both = [first.path, second.path];
    both.sort();
    assert_eq!(store.named("swept").unwrap(), both);
}

#[test]
fn a_file_that_cannot_be_read_is_told_and_does_not_hide_the_others() {
    let bench = Bench::new();
    let store = bench.open();
    bench.run("mine");
    fs::write(store.folder().join("01X.iotrial.json"), "{}").unwrap();
    fs::write(store.folder().join("spoilt.iotrial.study"), "no journal\n").unwrap();
    assert_eq!(store.entries().unwrap().len(), 1);
    let heard = bench.heard();
    assert!(heard.contains("warning: `") && heard.contains("01X.iotrial.json` is not a record"), "{heard}");
    assert!(heard.contains("spoilt.iotrial.study` is not a journal of a study"), "{heard}");
}

#[test]
fn the_journal_of_a_run_that_was_killed_becomes_a_record_and_one_that_goes_on_stays() {
    let bench = Bench::new();
    let store = bench.open();
    let setup = bench.setup("killed");
    let record = setup.record(setup.plan.clone());
    let journal = store.begin(&record).unwrap();
    let path = Kind::Journal.path(store.folder(), &record.id);
    bench.open();
    assert!(path.exists(), "its run goes on");
    // What a kill does: the lock goes, the file stays.
    drop(journal);
    let entries = bench.open().entries().unwrap();
    assert!(!path.exists());
    assert_eq!((kinds(&entries), entries[0].ended.as_str()), (vec![(Kind::Run, "killed")], "interrupted"));
    assert!(bench.heard().contains("note: a run was cut off"), "{}", bench.heard());
}

#[test]
fn a_run_that_was_killed_after_its_record_was_whole_is_recorded_once() {
    let bench = Bench::new();
    let store = bench.open();
    let setup = bench.setup("whole");
    let mut record = setup.record(setup.plan.clone());
    record.jobs = RunRecord::totals_of_intervals(&record.plan, &record.intervals);
    drop(store.begin(&record).unwrap());
    store.write(&record).unwrap();
    assert_eq!(bench.open().entries().unwrap().len(), 1);
    assert_eq!((list(store.folder(), &[Kind::Journal]).unwrap().len(), bench.heard()), (0, String::new()));
}

#[test]
fn a_journal_that_holds_nothing_is_renamed_and_told() {
    let bench = Bench::new();
    let store = bench.open();
    fs::write(store.folder().join("01X.iotrial.journal"), "torn").unwrap();
    assert!(bench.open().entries().unwrap().is_empty());
    assert!(store.folder().join("01X.iotrial.spoilt").exists());
    assert!(
        bench.heard().contains("warning: a journal cannot be read, and was renamed"),
        "{}",
        bench.heard()
    );
}

#[test]
fn a_journal_makes_no_record_but_the_one_of_its_name() {
    let bench = Bench::new();
    let store = bench.open();
    let run = bench.run("whole");
    let before = fs::read(&run.path).unwrap();
    let outside = bench.folder.path().join("victim.iotrial.json");
    fs::write(&outside, "precious").unwrap();
    let free = "01AAAAAAAAAAAAAAAAAAAAAAAA";
    for (name, id) in
        [(free, run.record.id.as_str()), (free, "../victim"), ("victim", "victim"), ("01X", "01X")]
    {
        let record = RunRecord { id: id.to_owned(), ..run.record.clone() };
        let line = iotrial_model::journal::record_line(&record).unwrap();
        fs::write(Kind::Journal.path(store.folder(), name), line).unwrap();
        assert_eq!(bench.open().entries().unwrap().len(), 1, "{name} {id}");
        // It stays for whoever wants to look at it, and so does the one of the last time.
        assert!(store.folder().join(format!("{name}.iotrial.spoilt")).exists());
    }
    let spoilt = fs::read_dir(store.folder())
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().ends_with(".spoilt"));
    assert_eq!(spoilt.count(), 4);
    assert_eq!(fs::read(&run.path).unwrap(), before);
    assert_eq!(fs::read(&outside).unwrap(), b"precious");
    assert!(bench.heard().contains("its name is not that of its run, `../victim`"), "{}", bench.heard());
}

#[test]
fn a_journal_whose_counts_have_no_sum_is_put_aside() {
    let bench = Bench::new();
    let store = bench.open();
    let run = bench.run("whole");
    let id = "01AAAAAAAAAAAAAAAAAAAAAAAA";
    let head = RunRecord { id: id.to_owned(), intervals: Vec::new(), ..run.record.clone() };
    let mut interval = run.record.measured_intervals().next().unwrap().clone();
    interval.jobs[0].read.as_mut().unwrap().bytes = u64::MAX;
    let mut journal = iotrial_model::journal::record_line(&head).unwrap();
    (0..2).for_each(|_| journal.extend(iotrial_model::journal::interval_line(&interval).unwrap()));
    fs::write(Kind::Journal.path(store.folder(), id), journal).unwrap();
    assert_eq!(bench.open().entries().unwrap().len(), 1);
    assert!(bench.heard().contains("its count is out of range"), "{}", bench.heard());
}

#[test]
fn the_journal_of_a_run_that_is_too_long_for_it_keeps_its_beginning() {
    let bench = Bench::new();
    let store = bench.open();
    let run = bench.run("whole");
    let head =
        RunRecord { id: ulid::Ulid::generate().to_string(), intervals: Vec::new(), ..run.record.clone() };
    let interval = run.record.intervals[0].clone();
    let line = iotrial_model::journal::interval_line(&interval).unwrap();
    let mut journal = store.begin(&head).unwrap().with_room(line.len() as u64 * 3 + 1);
    (0..100).for_each(|_| journal.interval(&interval).unwrap());
    drop(journal);
    bench.open();
    let kept = read_record(&Kind::Run.path(store.folder(), &head.id)).unwrap();
    assert_eq!(kept.intervals.len(), 3);
}

#[test]
fn a_record_that_says_nothing_of_its_machine_does_so_after_a_crash_as_well() {
    let bench = Bench::new();
    let store = bench.open();
    let setup = bench.setup("mine");
    let mut record = setup.record(setup.plan.clone());
    record.anonymous = true;
    record.host.name = "db-prod-07".to_owned();
    drop(store.begin(&record).unwrap());
    bench.open();
    let text = fs::read_to_string(Kind::Run.path(store.folder(), &record.id)).unwrap();
    assert!(!text.contains("db-prod-07") && text.contains("anonymous"), "{text}");
}

#[test]
fn a_run_that_the_store_does_not_take_is_known_and_kept_elsewhere() {
    let bench = Bench::new();
    let store = bench.open();
    let run = bench.run("whole");
    let record = RunRecord { id: ulid::Ulid::generate().to_string(), ..run.record };
    let journal = store.begin(&record).unwrap();
    // In the place of its file, so that it cannot be written whoever runs this test.
    fs::create_dir(Kind::Run.path(store.folder(), &record.id)).unwrap();
    let not_kept = store.finish(&record, journal).unwrap_err();
    let kept = RunRecord { checksum: Checksum::Matches, ..record.clone() };
    assert_eq!(read_record(&not_kept.path).unwrap(), kept);
    fs::remove_file(&not_kept.path).unwrap();
    let hint = not_kept.hint().unwrap();
    assert!(hint.contains("move it to") && hint.contains(&record.id), "{hint}");
    assert!(list(store.folder(), &[Kind::Journal]).unwrap().is_empty(), "it would become a second record");
}

#[test]
fn a_journal_that_is_too_large_to_read_is_told_and_stays() {
    let bench = Bench::new();
    let store = bench.open();
    let path = store.folder().join("01X.iotrial.journal");
    fs::File::create(&path).unwrap().set_len(MOST_RECORD_BYTES + 1).unwrap();
    assert!(bench.open().entries().unwrap().is_empty());
    assert!(path.exists());
    assert!(bench.heard().contains("01X.iotrial.journal`: it is larger than 256 MiB"), "{}", bench.heard());
}

#[test]
fn a_large_record_is_packed_and_reads_as_the_same() {
    let bench = Bench::new();
    let store = bench.open();
    let mut record = bench.large();
    let path = store.write(&record).unwrap();
    assert!(path.to_string_lossy().ends_with(".iotrial.json.zst"), "{path:?}");
    record.checksum = Checksum::Matches;
    assert_eq!(read_record(&path).unwrap(), record);
    assert_eq!(store.paths_by_id().unwrap()[&record.id], path);
}

/// A change of the label alone.
fn labelled(label: Option<&str>) -> Change<'_> {
    static NONE: ApplicationMetrics = ApplicationMetrics::new();
    Change { label: Some(label), metrics: &NONE }
}

#[test]
fn metrics_are_added_to_a_packed_record_and_replace_those_of_the_same_name() {
    let bench = Bench::new();
    let store = bench.open();
    let mut record = bench.large();
    let path = store.write(&record).unwrap();
    for (name, value) in [("tps", 850.0), ("users", 40.0), ("tps", 900.5)] {
        let metrics = ApplicationMetrics::from([(name.to_owned(), value)]);
        store.change(&path, &Change { label: None, metrics: &metrics }).unwrap();
        record.metrics.extend(metrics);
    }
    assert_eq!((record.metrics["tps"], record.metrics.len()), (900.5, 2));
    record.checksum = Checksum::Matches;
    assert_eq!(read_record(&path).unwrap(), record);
    assert!(read_stored(&path).unwrap().is_packed);
}

#[test]
fn a_packed_record_is_labelled_and_stays_packed_and_otherwise_the_same() {
    let bench = Bench::new();
    let store = bench.open();
    let mut record = bench.large();
    let path = store.write(&record).unwrap();
    store.change(&path, &labelled(Some("after"))).unwrap();
    assert!(read_stored(&path).unwrap().is_packed);
    record.label = Some("after".to_owned());
    record.checksum = Checksum::Matches;
    assert_eq!(read_record(&path).unwrap(), record);
    assert_eq!(store.named("after").unwrap(), [path]);
    let journal = store.study_journal("volumes");
    assert!(matches!(store.change(&journal, &labelled(None)), Err(RelabelError::NoResult { .. })));
}

/// What its checksum says of the file of a run, a sweep or an imported result.
fn checksum(path: &Path) -> Checksum {
    match Kind::of_name(path).unwrap() {
        Kind::Sweep => super::read::read_sweep(path).unwrap().checksum,
        Kind::Imported => super::read::read_imported(path).unwrap().checksum,
        _ => read_record(path).unwrap().checksum,
    }
}

#[test]
fn every_record_that_is_written_has_a_checksum_that_matches_and_keeps_it_when_it_is_labelled() {
    let bench = Bench::new();
    let store = bench.open();
    let setup = bench.setup("killed");
    drop(store.begin(&setup.record(setup.plan.clone())).unwrap());
    let (run, large) = (bench.run("run").path, store.write(&bench.large()).unwrap());
    bench.sweep();
    bench.imported();
    // Of the journal, a record.
    let entries = bench.open().entries().unwrap();
    let paths: Vec<&Path> = entries.iter().map(|entry| entry.path.as_path()).collect();
    assert!(paths.contains(&run.as_path()) && paths.contains(&large.as_path()), "{paths:?}");
    assert!(kinds(&entries).contains(&(Kind::Run, "killed")) && paths.len() >= 5, "{paths:?}");
    let metrics = ApplicationMetrics::from([("tps".to_owned(), 850.5)]);
    for path in paths {
        assert_eq!(checksum(path), Checksum::Matches, "{path:?}");
        store.change(path, &labelled(Some("after, \"}"))).unwrap();
        store.change(path, &labelled(None)).unwrap();
        if Kind::of_name(path) != Some(Kind::Sweep) {
            store.change(path, &Change { label: None, metrics: &metrics }).unwrap();
        }
        assert_eq!(checksum(path), Checksum::Matches, "{path:?} with another label");
    }
}

#[test]
fn a_digit_that_was_changed_anywhere_in_a_record_is_found_and_a_label_does_not_hide_it() {
    let bench = Bench::new();
    let store = bench.open();
    let path = bench.run("altered").path;
    let text = fs::read(&path).unwrap();
    let digits: Vec<usize> = (0..text.len()).filter(|at| text[*at].is_ascii_digit()).collect();
    assert!(digits.len() > 500, "{}", digits.len());
    let (mut found, mut changed) = (0, text.clone());
    for at in digits.iter().step_by(digits.len() / 400) {
        changed[*at] = if text[*at] == b'7' { b'8' } else { b'7' };
        // What is no longer a record at all is refused.
        if let Ok(record) = record_of(&changed, false) {
            let near = String::from_utf8_lossy(&text[at.saturating_sub(20)..(at + 20).min(text.len())]);
            assert_eq!(record.checksum, Checksum::Differs, "{near}");
            found += 1;
        }
        changed[*at] = text[*at];
    }
    assert!(found > 300, "{found}");
    // Whoever calls it a journal, and may then change all of it, has not written the line of a journal.
    for added in ["{}\n", ""] {
        let journal = [&text, added.as_bytes()].concat();
        assert_eq!(record_of(&journal, true).unwrap().checksum, Checksum::Differs);
    }
    // The first digit behind the label, which `label` writes behind.
    let at = digits.iter().copied().find(|at| text[..*at].ends_with(b"\"started_at\":\"")).unwrap();
    changed[at] = b'1';
    fs::write(&path, &changed).unwrap();
    store.change(&path, &labelled(Some("whole"))).unwrap();
    assert_eq!(checksum(&path), Checksum::Differs);
}

#[test]
fn a_record_that_another_program_laid_out_anew_is_the_same_and_one_without_a_checksum_is_not_suspected() {
    let bench = Bench::new();
    let path = bench.run("pretty").path;
    let value: serde_json::Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let written =
        |value: &serde_json::Value| fs::write(&path, serde_json::to_vec_pretty(value).unwrap()).unwrap();
    written(&value);
    assert_eq!(checksum(&path), Checksum::Matches);
    let mut older = value.clone();
    older.as_object_mut().unwrap().remove("checksum");
    written(&older);
    assert_eq!(checksum(&path), Checksum::Absent);
    // A label makes no statement on what nobody vouched for.
    bench.open().change(&path, &labelled(Some("older"))).unwrap();
    assert_eq!(checksum(&path), Checksum::Absent);
}

#[test]
fn a_store_that_is_only_read_is_not_made() {
    let bench = Bench::new();
    let store = Store::open_to_read(Some(&bench.place()), bench.observer()).unwrap();
    assert!(store.entries().unwrap().is_empty() && store.trash().entries().unwrap().is_empty());
    assert!(matches!(store.find("01JD"), Err(FindError::None { .. })));
    assert!(matches!(store.named("last"), Err(FindError::TooFarBack { count: 0, .. })));
    assert!(!bench.place().exists());
}

#[test]
fn a_strangers_record_is_taken_once_as_it_was_written_and_never_leads_out_of_the_folder() {
    let (theirs, mine) = (Bench::new(), Bench::new());
    let run = theirs.run("theirs");
    let store = mine.open();
    // A newer version wrote it, with a fact that this one does not know.
    let text = fs::read_to_string(&run.path).unwrap();
    let text = text.replacen(',', ",\"a_newer_fact\":1,", 1);
    store.adopt(&run.record, text.as_bytes()).unwrap();
    store.adopt(&run.record, b"{}").unwrap();
    let adopted = &store.paths_by_id().unwrap()[&run.record.id];
    assert_eq!(fs::read_to_string(adopted).unwrap(), text);
    assert_eq!(store.entries().unwrap().len(), 1);
    let stranger = RunRecord { id: "../../etc/passwd".to_owned(), ..run.record };
    assert!(matches!(store.adopt(&stranger, text.as_bytes()), Err(AdoptError::NoUlid { .. })));
}

#[test]
fn a_large_record_of_a_stranger_is_packed_like_any_other() {
    let bench = Bench::new();
    let run = bench.run("theirs");
    let mut record = run.record;
    record.id = ulid::Ulid::generate().to_string();
    let mut text = serde_json::to_vec(&record).unwrap();
    text.extend(vec![b' '; COMPRESS_ABOVE_BYTES]);
    let store = bench.open();
    store.adopt(&record, &text).unwrap();
    let path = &store.paths_by_id().unwrap()[&record.id];
    assert!(path.to_string_lossy().ends_with(".zst"), "{path:?}");
    assert_eq!(read_record(path).unwrap(), record);
}

#[test]
fn a_store_whose_index_cannot_be_used_is_listed_from_its_files() {
    let bench = Bench::new();
    let store = bench.open();
    bench.run("mine");
    let entries = store.entries().unwrap();
    let index = store.folder().join(index::NAME);
    fs::remove_file(&index).unwrap();
    // It cannot be read, and nobody may throw it away.
    fs::create_dir(&index).unwrap();
    fs::write(index.join("theirs"), "").unwrap();
    assert_eq!(store.entries().unwrap(), entries);
    assert_eq!(store.named("mine").unwrap().len(), 1);
    assert!(index.join("theirs").exists());
    let heard = bench.heard();
    assert!(heard.contains("note: the index of the store") && heard.contains("were read instead"), "{heard}");
}

#[cfg(target_os = "linux")]
mod on_linux {
    use super::*;

    #[test]
    fn nothing_is_moved_through_a_trash_that_is_a_link() {
        let bench = Bench::new();
        let store = bench.open();
        let run = bench.run("mine");
        let elsewhere = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(elsewhere.path(), store.folder().join("trash")).unwrap();
        assert!(matches!(store.remove(&run.path), Err(MoveError::Link { .. })));
        let theirs = elsewhere.path().join("01X.iotrial.json");
        fs::write(&theirs, "{}").unwrap();
        let restored = store.restore(&store.folder().join("trash/01X.iotrial.json"));
        assert!(matches!(restored, Err(MoveError::Link { .. })));
        assert!(run.path.exists() && theirs.exists());
    }

    #[test]
    fn a_pipe_in_the_store_is_told_and_never_waited_for() {
        let bench = Bench::new();
        bench.open();
        bench.run("mine");
        for name in ["01X.iotrial.json", "01X.iotrial.journal", "x.iotrial.study"] {
            let made = std::process::Command::new("mkfifo").arg(bench.place().join(name)).status();
            assert!(made.unwrap().success());
        }
        assert_eq!(bench.open().entries().unwrap().len(), 1);
        assert_eq!(
            bench.heard().matches("it is a pipe or a socket, not a file").count(),
            3,
            "{}",
            bench.heard()
        );
    }
}
