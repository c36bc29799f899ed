//! Jobs of fio as a user gives them.

use crate::support::Bench;

const JOB: &str = "\
[global]
ioengine=windowsaio
direct=1
time_based
runtime=20
ramp_time=1

[pages]
filename=F\\:\\pages.dat
rw=randrw
rwmixread=70
bs=8k
iodepth=8
size=64m

[log]
rw=write
bs=64k
size=32m
fdatasync=1
";

#[test]
fn a_job_file_is_printed_as_a_profile_that_runs() {
    let bench = Bench::new();
    std::fs::write(bench.path().join("mix.fio"), JOB).unwrap();
    let printed = bench.run(&["profiles", "--from-fio", "mix.fio"]).expect_code(0);
    assert!(printed.stdout.contains("iodepth = 8              # iodepth=8 (line 13)"), "{}", printed.stdout);
    assert!(
        printed.stderr.contains("note: `ioengine=windowsaio`: iotrial drives its own engine"),
        "{}",
        printed.stderr
    );
    std::fs::write(bench.path().join("mix.toml"), &printed.stdout).unwrap();
    let run = |more: &[&str]| {
        let device = "service_time_us = 200, parallelism = 32";
        let base = ["run", "--engine", "sim", "--sim", device, "--seed", "1", "--json", "--quiet"];
        bench.run(&[&base, more].concat()).json()
    };
    let (by_job, by_profile) = (run(&["--fio-job", "mix.fio"]), run(&["./mix.toml", "--full", "--closed"]));
    assert_eq!(by_job["roles"], by_profile["roles"]);
    // Eight outstanding at 200 µs.
    let iops = by_job["roles"]["data"]["read"]["iops"].as_f64().unwrap();
    assert!((iops / 28_000.0 - 1.0).abs() < 0.02, "{iops}");
    assert!(by_job["roles"]["log"]["commit"]["iops"].is_number(), "{by_job:#}");
}

#[test]
fn a_command_line_in_quotes_is_read_too() {
    let bench = Bench::new();
    let command =
        "fio --name=a --rw=randread --bs=8k --size=64m --runtime=60 --time_based --direct=1 --odepth=4";
    let told = bench.run(&["profiles", "--from-fio", command]).expect_code(2).stderr;
    assert!(told.contains("word 9: fio has no option `odepth` (did you mean `iodepth`?)"), "{told}");
    assert!(told.contains("hint: --fio-leave-out leaves these out"), "{told}");
    let ran = bench.run(&["profiles", "--from-fio", command, "--fio-leave-out"]).expect_code(0);
    assert!(ran.stderr.contains("warning: left out: word 9"), "{}", ran.stderr);
    assert!(ran.stdout.contains("# Left out, because it was not understood:"), "{}", ran.stdout);
}

#[test]
fn the_command_line_of_fio_in_the_help_becomes_a_profile() {
    let bench = Bench::new();
    let help = bench.run(&["profiles", "--help"]).expect_code(0).stdout;
    let example = help.split("--from-fio '").nth(1).and_then(|rest| rest.split('\'').next());
    bench.run(&["profiles", "--from-fio", example.unwrap()]).expect_code(0);
}

#[test]
fn what_cannot_be_asked_together_is_refused() {
    let bench = Bench::new();
    let check = |arguments: &[&str], message: &str| {
        let told = bench.run(arguments).expect_code(2).stderr;
        assert!(told.contains(message), "{arguments:?}: {told}");
    };
    check(&["run", "--fio-job", "gone.fio"], "cannot read the job `gone.fio`");
    check(&["run", "sqlserver-oltp", "--fio-job", "x.fio"], "cannot be used with");
    check(&["run", "--fio-set", "2"], "--fio-set, --fio-leave-out and --fio-env are for a fio job");
    check(&["profiles", "--from-fio", "fio --name=a --rw=read --size=1g"], "job `a` has no `runtime`");
}
