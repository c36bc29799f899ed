//! Jobs of fio become the profiles that they describe.

use iotrial_model::load::{Direction, Distribution, Durability, Pattern, Spacing};
use iotrial_model::plan::Arrival;
use iotrial_model::profile::Profile;
use proptest::prelude::*;

use super::*;

fn surroundings() -> Surroundings<'static> {
    Surroundings {
        file: &|name| match name {
            "common.fio" => Ok("ioengine=libaio\ndirect=1\n".to_owned()),
            "endless.fio" => Ok("include endless.fio\n".to_owned()),
            "jobs.fio" => Ok("[a]\nrw=randread\nsize=1g\nruntime=9\ndirect=1\n".to_owned()),
            _ => Err("no such file".to_owned()),
        },
        variable: &|name| (name == "SIZE").then(|| "3g".to_owned()),
        cpu_count: 4,
        memory_mib: 8192,
        page_bytes: 4096,
    }
}

fn convert_with(text: &str, request: &FioJobRequest) -> Result<(Profile, FioProfile), FioJobError> {
    let made = profile_of_fio_job(text, request, &surroundings())?;
    let profile = Profile::parse(&made.text).unwrap_or_else(|mistakes| panic!("{mistakes}\n{}", made.text));
    Ok((profile, made))
}

fn convert(text: &str) -> (Profile, FioProfile) {
    let request = FioJobRequest { name: "test.fio".to_owned(), ..FioJobRequest::default() };
    convert_with(text, &request).unwrap_or_else(|error| panic!("{error}"))
}

fn mistakes(text: &str) -> String {
    let request = FioJobRequest { name: "test.fio".to_owned(), ..FioJobRequest::default() };
    convert_with(text, &request).unwrap_err().to_string()
}

/// A job that only lacks what is given.
fn job(more: &str) -> String {
    format!("[a]\nioengine=libaio\ndirect=1\nnorandommap\ntime_based\nruntime=60\nsize=1g\n{more}\n")
}

#[test]
fn every_key_of_the_profile_says_where_it_comes_from() {
    let (_, made) = convert(&job("rw=randrw\nrwmixread=70\nbs=8k\niodepth=16\nnumjobs=2\nfilename=x"));
    let lines = [
        "name = \"a\"               # job `a` (line 1)",
        "pattern = \"random\"       # rw=randrw (line 8)",
        "rwmix_read_percent = 70  # rwmixread=70 (line 9)",
        "block_size = \"8KiB\"      # bs=8k (line 10)",
        "iodepth = 16             # iodepth=16 (line 11)",
        "numjobs = 2              # numjobs=2 (line 12)",
        "size = \"1GiB\"            # size=1g (line 7)",
        "duration = \"1m\"  # runtime=60 (line 6)",
    ];
    for line in lines {
        assert!(made.text.lines().any(|one| one == line), "{line}\n{}", made.text);
    }
    assert_eq!(made.notes.len(), 2, "{:?}", made.notes);
}

#[test]
fn options_mean_what_they_mean_in_fio() {
    let one = |more: &str| convert(&job(more)).0.jobs[0].clone();
    let read = one("rw=randread\nbssplit=4k/25:64k/75");
    assert_eq!(read.block_size.to_string(), "4 KiB 25 %, 64 KiB 75 %");
    assert_eq!((read.rwmix_read_percent, read.pattern), (100, Pattern::Random));
    assert_eq!(one("rw=write\nbs=4k,64k").block_size.unit(), ByteSize::kib(64));
    assert_eq!(one("rw=randread").block_size.unit(), ByteSize::kib(4));
    assert_eq!(one("rw=randread\nbsrange=4k-8k").block_size.to_string(), "4 KiB 50 %, 8 KiB 50 %");
    assert_eq!(one("rw=randrw").rwmix_read_percent, 50);
    assert_eq!(one("rw=randrw\nrwmixwrite=30").rwmix_read_percent, 70);
    assert_eq!(one("readwrite=rw\nrwmixread=(50+10)").rwmix_read_percent, 60);
    assert_eq!(one("rw=read\npercentage_random=100").pattern, Pattern::Random);
    assert_eq!(
        one("rw=randread\nrandom_distribution=zipf:1.2").distribution,
        Distribution::Zipf { theta: 1.2 }
    );
    assert_eq!(
        one("rw=randread\nrandom_distribution=zoned:90/10:10/90").distribution,
        Distribution::Hotspot { hot_io_percent: 90, hot_space_percent: 10 }
    );
    let synced = one("rw=write\nfdatasync=4");
    assert_eq!((synced.durability, synced.flush_every), (Durability::Fdatasync, 4));
    assert_eq!(one("rw=write\nsync=dsync").durability, Durability::Dsync);
    assert_eq!(one("rw=write\nfsync=0").durability, Durability::None);
    assert_eq!(one("rw=read\nsize=$SIZE\nsize=${SIZE}\nkb_base=1000\nbs=4096").size.get(), 3_000_000_000);
    assert_eq!(one("rw=read\nbs=$pagesize").block_size.unit(), ByteSize::kib(4));
    assert_eq!(one("rw=randread\niodepth=$ncpus\nioengine=sync").iodepth, 1);
}

#[test]
fn a_rate_is_that_of_all_copies_and_of_both_directions() {
    let one = |more: &str| {
        let (profile, _) = convert(&job(more));
        (Arrival::of_job(&profile, 0), profile.jobs[0].rwmix_read_percent)
    };
    let open = |iops, spacing| Arrival::Open { iops, spacing, bursts: None };
    assert_eq!(one("rw=randread\nrate_iops=500\nnumjobs=4"), (open(2_000.0, Spacing::Uniform), 100));
    assert_eq!(
        one("rw=randread\nrate_iops=1k\nrate_process=poisson"),
        (open(1_024.0, Spacing::Poisson), 100)
    );
    assert_eq!(one("rw=randread\nbs=8k\nrate=8m"), (open(1_024.0, Spacing::Uniform), 100));
    // Measured with fio 3.33: each direction goes at its rate, whatever rwmixread says.
    assert_eq!(one("rw=randrw\nrwmixread=70\nrate_iops=1000"), (open(2_000.0, Spacing::Uniform), 50));
    assert_eq!(one("rw=randrw\nrate_iops=700,300"), (open(1_000.0, Spacing::Uniform), 70));
    assert!(mistakes(&job("rw=randrw\nrate_iops=700,")).contains("limits one of two directions"));
}

#[test]
fn copies_share_a_file_that_is_named_and_have_their_own_otherwise() {
    let size = |more: &str| convert(&job(more)).0.jobs[0].size;
    assert_eq!(size("rw=read\nnumjobs=4"), ByteSize::gib(4));
    assert_eq!(size("rw=read\nnumjobs=4\nfilename=x"), ByteSize::gib(1));
    assert_eq!(size("rw=read\nnumjobs=4\nfilename=x\noffset_increment=1g"), ByteSize::gib(4));
    assert_eq!(size("rw=read\nnumjobs=4\nfilename=x\noffset_increment=2g"), ByteSize::gib(4));
    assert_eq!(size("rw=read\nnumjobs=3\nfilename=x\noffset_increment=512m"), ByteSize::gib(2));
    let (_, made) = convert(&job("rw=write\nnumjobs=2\nfilename=x"));
    assert!(made.notes.iter().any(|note| note.contains("begin at the same block")), "{:?}", made.notes);
}

#[test]
fn global_options_hold_for_the_jobs_after_them_and_files_can_be_included() {
    let text = "\
; a comment
[global]
include common.fio
rw=randread
size=1g # behind a value too
runtime=1m
[first]
[global]
bs=16k
[second]
iodepth=4
";
    let (profile, made) = convert(text);
    let [first, second] = &profile.jobs[..] else { panic!("two jobs") };
    assert_eq!((first.block_size.unit(), second.block_size.unit()), (ByteSize::kib(4), ByteSize::kib(16)));
    assert_eq!((first.iodepth, second.iodepth), (1, 4));
    assert!(made.text.contains("# runtime=1m (line 6 of [global])"), "{}", made.text);
    assert!(mistakes("include endless.fio\n").contains("include each other too often"));
    assert!(mistakes("include gone.fio\n").contains("line 1: cannot read `gone.fio`: no such file"));
}

#[test]
fn jobs_that_wait_for_others_are_sets_of_which_one_is_chosen() {
    let text = format!(
        "[global]\nstonewall\n{}",
        "[x]\nrw=read\nsize=1g\nruntime=9\n[y]\nrw=randread\nsize=1g\nruntime=9\nstonewall=0\n[z]\nrw=write\nsize=1g\nruntime=5\n"
    );
    let told = mistakes(&text);
    assert!(told.contains("run in 2 sets, one after the other (`stonewall`)"), "{told}");
    assert!(told.contains("1: x, y; 2: z (choose one, such as --fio-set 1)"), "{told}");
    let chosen = |set| {
        let request = FioJobRequest { name: "t".to_owned(), set: Some(set), ..FioJobRequest::default() };
        convert_with(&text, &request)
    };
    let names = |profile: Profile| profile.jobs.into_iter().map(|job| job.name).collect::<Vec<_>>();
    assert_eq!(names(chosen(1).unwrap().0), ["x", "y"]);
    assert_eq!(names(chosen(2).unwrap().0), ["z"]);
    assert!(chosen(3).unwrap_err().to_string().contains("there is no set 3"));
}

#[test]
fn what_cannot_be_a_profile_is_told_with_its_line_and_what_to_do() {
    let check = |more: &str, message: &str| {
        let told = mistakes(&job(more));
        assert!(told.contains(message), "{more}: {told}");
    };
    check("rw=randread\niodept=4", "line 9: fio has no option `iodept` (did you mean `iodepth`?)");
    check("rw=randread\nthinktime=100", "line 9: `thinktime=100` of job `a`: a pause after each I/O");
    check("rw=randtrim", "iotrial issues no discards (read, write, rw,");
    check("rw=randread:8", "no offsets between random and sequential");
    check("rw=randrw\nbs=4k,64k", "make a job for each direction");
    check("rw=randread\nbs=1000", "a multiple of 512 bytes");
    check("rw=randread\nverify=crc32c", "does not read back what it wrote");
    check("rw=randread\nrandom_distribution=pareto:0.9", "zipf:THETA and zoned:");
    check("rw=randread\niodepth=9999", "a profile has from 1 to 4096");
    check("rw=randread\nioengine=rbd", "a different kind of I/O (io_uring, libaio");
    check("rw=randread\nsize=50%", "takes it from the file or device");
    check(
        "rw=randread\nsize=${NONE}",
        "`${NONE}` reads the environment: set the variable, and allow it with --fio-env NONE",
    );
    check("rw=randread\npercentage_random=30", "random or sequential (make a job for each part)");
    check("rw=randread\nsize=1k", "must hold at least one block of 4 KiB, not 1 KiB");
    check("rw=randread\n[b]\nrw=read\nsize=1g\nruntime=30", "runs for 60 s and job `b` for 30 s");
    assert!(mistakes("[a]\nrw=read\nsize=1g").contains("line 1: job `a` has no `runtime`"));
    assert!(mistakes("[a]\nrw=read\nruntime=3").contains("line 1: job `a` has no `size`"));
    assert!(mistakes("rw=read\n").contains("line 1: `rw=read` is before the first section"));
    assert!(mistakes("").contains("there is no job in it"));
    assert!(mistakes("[global]\nbs=8k").contains("there is no job in it"));
    // Off is off.
    convert(&job("rw=randread\nthinktime=0\nverify=none\ntrim_percentage=0"));
}

#[test]
fn what_is_not_as_in_fio_is_said() {
    let check = |text: &str, note: &str| {
        let (_, made) = convert(text);
        assert!(made.notes.iter().any(|one| one.contains(note)), "{note}: {:?}", made.notes);
        assert!(made.text.contains(note), "{}", made.text);
    };
    check("[a]\nrw=read\nsize=1g\nruntime=9", "without `direct=1` fio goes through the page cache");
    check(
        "[a]\nrw=read\nsize=1g\nruntime=9",
        "without `time_based` fio ends as soon as all of `size` was moved",
    );
    check(&job("rw=write\nfsync=1"), "a write and its flush are one operation");
    check(&job("rw=randread\nlatency_target=2ms\nlatency_percentile=99"), "--latency-limit 2ms@p99");
    check(&job("rw=randread\ncpus_allowed=0-3"), "under taskset");
    check(&job("rw=randread\nfilename=/dev/nvme0n1"), "`--target /dev/nvme0n1` names the device");
    let two = format!(
        "{}[b]\nrw=randread\nsize=1g\nruntime=60\ntime_based\ndirect=1",
        job("rw=randread\nrandseed=4")
    );
    check(&two, "a: `randseed=4`: iotrial draws other offsets");
    let (_, made) = convert(&job("rw=randread\nthread\ngroup_reporting=1"));
    assert!(made.text.contains("# Not part of the load:\n# - group_reporting=1, thread\n"), "{}", made.text);
}

#[test]
fn a_job_without_a_runtime_takes_the_one_that_is_asked_for() {
    let runtime = Some(Duration::from_secs(7));
    let request = FioJobRequest { name: "t".to_owned(), runtime, ..FioJobRequest::default() };
    let (profile, made) = convert_with("[a]\nrw=read\nsize=1g\ndirect=1", &request).unwrap();
    assert_eq!(profile.schedule.measure, Duration::from_secs(7));
    assert!(made.text.contains("duration = \"7s\"  # asked for"), "{}", made.text);
    let (profile, _) = convert_with(&job("rw=read"), &request).unwrap();
    assert_eq!(profile.schedule.measure, Duration::from_secs(60));
}

#[test]
fn a_command_line_is_read_as_fio_reads_it() {
    let (profile, made) = convert(
        "fio --output-format=json --rw randread --direct=1 --runtime=60 --time_based --size=1g \
         --name=a --bs=8k -iodepth 4 --output x.json --name=b --group_reporting --norandommap --bs 16k",
    );
    let [a, b] = &profile.jobs[..] else { panic!("two jobs") };
    assert_eq!((a.block_size.unit(), a.iodepth), (ByteSize::kib(8), 4));
    assert_eq!((b.block_size.unit(), b.pattern), (ByteSize::kib(16), Pattern::Random));
    assert!(made.text.contains("# bs=8k (word 10)"), "{}", made.text);
    assert_eq!(convert("fio jobs.fio --section=a").0.jobs[0].size, ByteSize::gib(1));
    let told = mistakes("fio --name=a --rw=read --size=1g --runtime=9 odepth=8");
    assert!(told.contains("word 6: `odepth=8` is neither an option nor a job file: no such file"), "{told}");
}

#[test]
fn a_text_that_is_made_to_be_large_is_refused_in_no_time() {
    let many = |what: &str| what.repeat(1 << 17);
    assert!(mistakes(&format!("[global]\n{}{}", many("bs=8k\n"), many("[a]\n"))).contains("more than 1000"));
    assert!(mistakes(&many("[a]\n")).contains("more than 1000 jobs"));
    assert!(mistakes(&format!("fio {}", many("--name=a "))).contains("more than 1000 jobs"));
    assert!(mistakes(&job(&many("x=1\n"))).contains("more than 1000 options"));
    assert!(mistakes(&job(&many("longword"))).contains("fio has no option"));
    assert!(mistakes(&many("[a]x\n")).contains("and more from here on"));
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in "\\PC{0,200}") {
        let request = FioJobRequest { name: text.clone(), ..FioJobRequest::default() };
        for text in [text.clone(), format!("[a]\n{text}"), format!("fio --name={text}"), job(&text)] {
            let _ = profile_of_fio_job(&text, &request, &surroundings());
        }
    }

    /// What is understood is a profile with the same load.
    #[test]
    fn a_job_becomes_the_same_load(
        direction in prop::sample::select(vec!["read", "write", "randread", "randwrite", "randrw", "rw"]),
        mix in 0_u8..=100,
        block_kib in 1_u64..=1024,
        iodepth in 1_u32..=256,
        numjobs in 1_u32..=16,
        blocks in 1_u64..=100_000,
    ) {
        let size = block_kib * blocks;
        let (profile, _) = convert(&format!(
            "[j]\nioengine=libaio\ndirect=1\nrw={direction}\nrwmixread={mix}\nbs={block_kib}k\niodepth={iodepth}\n\
             numjobs={numjobs}\nsize={size}k\nfilename=f\nruntime=5\ntime_based\nnorandommap\n"
        ));
        let job = &profile.jobs[0];
        prop_assert_eq!(job.block_size.unit(), ByteSize::kib(block_kib));
        prop_assert_eq!((job.iodepth, job.numjobs, job.size), (iodepth, numjobs, ByteSize::kib(size)));
        prop_assert_eq!(job.pattern == Pattern::Random, direction.starts_with("rand"));
        let share = |op: Direction| match op {
            Direction::Read => job.rwmix_read_percent,
            Direction::Write => 100 - job.rwmix_read_percent,
        };
        let expected = match direction { "read" | "randread" => 100, "write" | "randwrite" => 0, _ => mix };
        prop_assert_eq!(share(Direction::Read), expected);
        prop_assert_eq!(share(Direction::Write), 100 - expected);
    }
}

#[test]
fn a_job_of_many_mistakes_tells_a_hundred_and_that_there_are_more() {
    let options: String = (0..999).map(|number| format!("option{number}=1\n")).collect();
    let jobs: String = (0..999).map(|number| format!("[job{number}]\n")).collect();
    let text = format!("[global]\n{options}{jobs}");
    let error = convert_with(&text, &FioJobRequest::default()).unwrap_err();
    assert_eq!(error.0.len(), 101);
    assert!(error.to_string().ends_with("and more from here on"), "{error}");
}

#[test]
fn no_more_files_are_read_than_anybody_names() {
    let text = format!("fio {}", "jobs.fio ".repeat(1_000));
    assert!(mistakes(&text).contains("files include each other too often"), "{}", mistakes(&text));
}

#[test]
fn a_size_that_is_asked_for_heals_a_job_that_says_none_or_a_share_of_a_device() {
    let asked = |text: &str| {
        let request =
            FioJobRequest { name: "t".to_owned(), size: Some(ByteSize::gib(8)), ..FioJobRequest::default() };
        convert_with(text, &request).unwrap_or_else(|error| panic!("{error}")).0
    };
    let sizes = |text: &str| asked(text).jobs.iter().map(|job| job.size).collect::<Vec<_>>();
    let without =
        "[global]\nfilename=/dev/nvme0n1\nioengine=libaio\ndirect=1\ntime_based\nruntime=60\nrw=randread\n";
    assert!(mistakes(&format!("{without}[a]\niodepth=8")).contains("`run` takes --size for it"));
    assert_eq!(sizes(&format!("{without}[a]\niodepth=8\nnumjobs=4")), [ByteSize::gib(8)]);
    assert_eq!(
        sizes(&format!("{without}[a]\nsize=100%\n[b]\nsize=50%")),
        [ByteSize::gib(4), ByteSize::gib(2)]
    );
    // What a job says itself stays.
    assert_eq!(sizes(&format!("{without}[a]\nsize=1g")), [ByteSize::gib(1)]);
}

#[test]
fn a_file_that_is_named_again_is_one_more_and_every_other_option_replaces_the_earlier_one_with_a_word() {
    let several = "rw=randread\nfilename=/dev/sda\nfilename=/dev/sdb\nfilename=/dev/sdc";
    let notes = convert(&job(several)).1.notes.join("\n");
    assert!(
        notes.contains("`--target /dev/sda --target /dev/sdb --target /dev/sdc` name the devices"),
        "{notes}"
    );
    assert!(notes.contains("spreads a job over all of them"), "{notes}");
    let notes = convert(&job("rw=randread\niodepth=4\niodepth=16")).1.notes.join("\n");
    assert!(
        notes.contains("`iodepth=4` (line 9) has no effect: `iodepth=16` (line 10) comes later"),
        "{notes}"
    );
    // A job replaces what [global] says without a word.
    let notes =
        convert(&format!("[global]\niodepth=4\n{}", job("rw=randread\niodepth=16"))).1.notes.join("\n");
    assert!(!notes.contains("no effect"), "{notes}");
}

#[test]
fn small_things_are_told_as_what_they_are() {
    let notes = |more: &str| convert(&job(more)).1.notes.join("\n");
    assert!(notes("rw=write\nfsync=1").contains("`fsync` becomes `fdatasync`"));
    assert!(!notes("rw=write\nfdatasync=1").contains("becomes"));
    assert!(notes("rw=randread\nnuma_cpu_nodes=0").contains("numactl"));
    let error = mistakes(&job("rw=randread\ncpuload=50\npool=rbd"));
    assert!(
        error.contains("option of fio's engine `cpuio`") && error.contains("option of fio's engine `rbd`"),
        "{error}"
    );
    assert!(!error.contains("fio has no option"), "{error}");
}
