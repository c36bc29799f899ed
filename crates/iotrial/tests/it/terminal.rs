//! What somebody sees who sits before a terminal: progress, and the conversation of `iotrial` alone.

use crate::pty::{Session, screen};
use crate::support::Bench;

/// A load on a simulated device that outlasts every test. Not longer: then its intervals are of more than a second, and a second of the
/// device already takes milliseconds.
const ENDLESS: [&str; 7] = ["run", "--engine", "sim", "--closed", "--duration", "55m", "--json"];

#[test]
fn progress_is_a_block_on_the_terminal_that_leaves_nothing_behind() {
    for columns in [80, 140] {
        let bench = Bench::new();
        let mut run = Session::start(bench.interruptible(&ENDLESS), columns, 24);
        run.expect("IOPS, last ");
        run.expect("all ");
        run.signal("-INT");
        run.expect("stopping after the outstanding I/Os");
        let (code, stdout, screen) = run.end();
        assert_eq!(code, 130, "{screen:#?}");
        assert!(stdout.starts_with('{') && !stdout.contains('━'), "{stdout}");
        let all = screen.join("\n");
        assert!(!all.contains('━') && !all.contains("last "), "{all}");
        assert!(!screen.iter().any(|line| line.starts_with("all ")), "{all}");
        assert!(all.contains("stopping after the outstanding I/Os"), "{all}");
        assert_eq!(screen.last().unwrap(), "", "the cursor is at the beginning of a line");
    }
}

#[test]
fn a_search_is_one_line_that_is_painted_again_and_its_loads_are_listed_where_nobody_sees_them() {
    const SEARCH: [&str; 6] =
        ["run", "--engine", "sim", "--sim", "service_time_us = 200, parallelism = 16", "--json"];
    const OF_LOADS: [&str; 4] = ["searching", "saturation: ", "probe: ", "confirmation: "];
    let is_of_load = |line: &&str| OF_LOADS.iter().any(|word| line.starts_with(word));
    for columns in [80, 140] {
        let bench = Bench::new();
        let mut run = Session::start(bench.command(&SEARCH), columns, 24);
        run.expect("   passed ");
        let (_, _, screen) = run.end();
        assert!(!screen.iter().any(|line| is_of_load(&line.as_str())), "{screen:#?}");
        assert!(screen.len() < 6, "{screen:#?}");
    }
    let log = Bench::new().run(&SEARCH).stderr;
    assert!(log.lines().filter(is_of_load).count() > 3, "{log}");
}

#[test]
fn a_terminal_whose_locale_has_no_utf8_is_shown_ascii() {
    let shown = |locale: &str| {
        let bench = Bench::new();
        let mut command = bench.interruptible(&ENDLESS);
        command.env("LC_ALL", locale);
        let mut run = Session::start(command, 80, 24);
        run.expect("IOPS, last ");
        run.expect("all ");
        run.signal("-INT");
        run.expect("stopping after the outstanding I/Os");
        String::from_utf8_lossy(&run.raw).into_owned()
    };
    let plain = shown("C");
    assert!(plain.is_ascii(), "{plain}");
    assert!(!shown("C.UTF-8").is_ascii());
}

#[test]
fn the_block_is_as_wide_as_the_terminal_and_follows_it() {
    let bench = Bench::new();
    let mut run = Session::start(bench.interruptible(&ENDLESS), 140, 24);
    run.expect("MiB/s");
    run.resize(60, 24);
    let before = run.raw.len();
    // What was under way when the size changed is of the old width, and a busy host has more of it under way.
    let mut shown = Vec::new();
    for _ in 0..200 {
        run.expect("all ");
        let after = String::from_utf8_lossy(&run.raw[before..]).into_owned();
        // The painting before the last one, which is whole.
        let Some(last) = after.rsplit("\x1b[J").nth(1) else { continue };
        shown = screen(&last.replace("\n", "\r\n"), 1_000);
        if shown.iter().all(|line| line.chars().count() < 60) {
            break;
        }
    }
    assert!(shown.iter().all(|line| line.chars().count() < 60), "{shown:#?}");
    assert!(shown.iter().any(|line| line.starts_with("data ")), "{shown:#?}");
    run.signal("-INT");
    let (_, _, screen) = run.end();
    assert!(!screen.iter().any(|line| line.starts_with("all ")), "{screen:#?}");
}

#[test]
fn a_dumb_terminal_gets_lines() {
    let bench = Bench::new();
    let command = bench.command(&["run", "--engine", "sim", "--closed", "--duration", "5s"]);
    // The session sets another terminal; what `env` sets comes after that.
    let mut env = std::process::Command::new("env");
    env.args(["TERM=dumb"]).arg(command.get_program()).args(command.get_args());
    env.env("IOTRIAL_STORE", bench.store()).current_dir(bench.path()).stdout(std::process::Stdio::piped());
    let mut run = Session::start(env, 80, 24);
    run.expect("measure, 0:");
    let (_, _, screen) = run.end();
    assert!(screen.iter().any(|line| line.contains("left: data ")), "{screen:#?}");
}

/// Chooses the last of the places, whatever volumes this host has.
fn another_directory(talk: &mut Session) {
    talk.expect("Where");
    talk.expect("another directory");
    let lines = screen(&String::from_utf8_lossy(&talk.raw), 120);
    let at = |what: &str| lines.iter().rposition(|line| line.contains(what)).unwrap();
    let below = at("another directory") - at("❯");
    talk.send(&("\x1b[B".repeat(below) + "\r"));
}

#[test]
fn the_conversation_checks_the_place_when_it_is_typed_and_makes_nothing_before_its_last_question() {
    let bench = Bench::new();
    std::fs::write(bench.path().join("file"), "x").unwrap();
    let mut talk = Session::start(bench.command(&[]), 120, 40);
    talk.expect("What do you want to know");
    talk.send("\r");
    talk.expect("Which database");
    talk.send("\r");
    another_directory(&mut talk);
    talk.expect("Directory for the test files");
    talk.send("file\r");
    talk.expect("file is a file, and the test files need a directory");
    talk.send("data/a/b/c\r");
    talk.expect("nor the directory above it exists");
    talk.send("da\t");
    talk.expect("data/");
    talk.send("new\r");
    talk.expect(" free; the test files take ");
    talk.expect("How many IOPS do you need");
    talk.send("many\r");
    talk.expect("`many` is not a number of I/Os per second");
    talk.send("5,000\r");
    talk.expect("How long");
    talk.send("\r");
    talk.expect("iotrial run sqlserver-oltp --target data/new --need 5000iops");
    talk.expect(", run for about ");
    assert!(bench.data_files().is_empty() && !bench.store().exists());
    talk.send("n");
    talk.expect("nothing was written");
    let (code, stdout, _) = talk.end();
    assert_eq!((code, stdout.as_str()), (3, ""));
    assert!(bench.data_files().is_empty() && !bench.store().exists());
}

#[test]
fn two_places_become_a_study() {
    let bench = Bench::new();
    let mut talk = Session::start(bench.command(&[]), 120, 40);
    talk.expect("What do you want to know");
    talk.send("\x1b[B\r");
    talk.expect("Which database");
    // It is the third of a list that is longer than what is shown.
    talk.send("log alone\r");
    another_directory(&mut talk);
    talk.expect("First directory");
    talk.send("data/one\r");
    another_directory(&mut talk);
    talk.expect("Second directory");
    talk.send("./data/../data/one\r");
    talk.expect("that is the first directory");
    another_directory(&mut talk);
    talk.expect("Second directory");
    talk.send("data/two\r");
    // The log alone is made at its own rate: no need is asked for.
    talk.expect("How often");
    talk.send("\r");
    talk.expect("iotrial study new data/one data/two --profile sqlserver-log --repeats 3 > comparison.toml");
    talk.expect("iotrial study comparison.toml");
    talk.expect("Measure both in turn, 3 times each, about ");
    talk.send("n");
    talk.expect("nothing was written");
    assert_eq!(talk.end().0, 3);
    assert!(!bench.path().join("comparison.toml").exists());
    // What was printed makes a study that can be measured.
    let made = bench.run(&["study", "new", "data/one", "data/two", "--profile", "sqlserver-log"]);
    std::fs::write(bench.path().join("comparison.toml"), made.expect_code(0).stdout).unwrap();
    bench.run(&["study", "comparison.toml", "--dry-run"]).expect_code(0);
}

#[test]
fn without_a_terminal_nobody_is_asked() {
    let bench = Bench::new();
    let help = bench.run(&[]).expect_code(2);
    assert!(help.stderr.contains("Usage: iotrial"), "{}", help.stderr);
}

#[test]
fn the_answer_of_every_command_fits_a_screen_and_details_has_the_rest() {
    let bench = Bench::new();
    let sim = ["--engine", "sim", "--sim", "service_time_us = 200, parallelism = 16", "--quiet"];
    let with_sim = |words: &[&'static str]| -> Vec<&'static str> { [words, &sim].concat() };
    let configuration = bench.path().join("option.toml");
    std::fs::write(&configuration, crate::support::CONFIGURATION).unwrap();
    let commands: Vec<Vec<&str>> = vec![
        with_sim(&["run"]),
        with_sim(&["run", "--need", "20000iops"]),
        with_sim(&[
            "run",
            "--need",
            "900000iops",
            "--gate",
            "log.commit.p99 < 2ms",
            "--gate",
            "read.iops > 5iops",
        ]),
        with_sim(&["run", "--need", "20000iops", "--steps", "50%,100%,150%"]),
        with_sim(&["run", "--closed", "--duration", "5s", "--label", "b"]),
        with_sim(&["sweep"]),
        vec!["report", "last"],
        vec!["report", "b"],
        vec!["report", "store"],
        vec!["audit", "b"],
        vec!["check", "--target", "."],
        vec!["size", "--read", "16000iops@8KiB", "--write", "4000iops@8KiB", "--capacity", "2TiB"],
        vec!["size", "explain", "option.toml"],
    ];
    let mut longer = 0;
    for command in commands {
        let ran = bench.run(&command);
        assert!([0, 1, 4].contains(&ran.code), "{command:?}: {}", ran.stderr);
        let lines = ran.stdout.lines().count();
        assert!((1..24).contains(&lines), "{command:?}: {lines}\n{}", ran.stdout);
        let next = ran.stdout.lines().filter(|line| line.starts_with("next: iotrial ")).count();
        // A report may go on, and does not have to.
        let least = usize::from(command[0] != "report" && command[1] != "explain");
        assert!((least..=1).contains(&next), "{command:?}: {}", ran.stdout);
        if command[0] != "run" && command[0] != "sweep" {
            let details = bench.run(&[command.as_slice(), &["--details"]].concat());
            assert!(details.stdout.lines().count() >= lines && details.code == ran.code, "{command:?}");
            longer += usize::from(details.stdout.lines().count() > lines);
        }
    }
    assert!(longer > 0);
}

/// What begins a line that may be wider than the terminal: a command to be copied stays whole.
const COMMANDS: [&str; 6] = ["More: ", "next: ", "again: ", "hint: ", "record ", "report "];

#[test]
fn on_a_terminal_of_any_usual_width_the_answer_of_every_command_is_one_screen_of_whole_lines() {
    let bench = Bench::new();
    let sim = ["--engine", "sim", "--sim", "service_time_us = 200, parallelism = 16", "--quiet"];
    let with_sim = |words: &[&'static str]| -> Vec<&'static str> { [words, &sim].concat() };
    std::fs::write(bench.path().join("fio.txt"), FIO).unwrap();
    std::fs::write(bench.path().join("study.toml"), crate::study::STUDY).unwrap();
    for label in ["a", "b"] {
        let run = ["run", "--closed", "--duration", "5s", "--label", label];
        bench.run(&with_sim(&run));
    }
    // So that each width shows the same study, without a word about an earlier one.
    bench.run(&["study", "study.toml", "--quiet"]).expect_code(0);
    crate::awr::fleet(&bench, "reports", 30);
    let mut commands: Vec<Vec<&str>> = vec![
        with_sim(&["run"]),
        with_sim(&["run", "--need", "20000iops"]),
        with_sim(&["run", "--need", "900000iops", "--gate", "log.commit.p99 < 2ms"]),
        with_sim(&["sweep"]),
        vec!["study", "study.toml", "--quiet", "--resume"],
        vec!["compare", "a", "b"],
        vec!["report", "a"],
        vec!["report", "a", "b"],
        vec!["audit", "a"],
        vec!["awr", "reports"],
        vec!["check", "--target", "."],
        vec!["size", "--read", "16000iops@8KiB", "--write", "4000iops@8KiB", "--capacity", "2TiB"],
        vec!["import", "fio.txt"],
        vec!["records", "--limit", "10"],
    ];
    for columns in [80, 100, 140] {
        // The study is measured anew each time.
        bench.stored(".study").iter().for_each(|journal| std::fs::remove_file(journal).unwrap());
        commands.rotate_left(1);
        for command in &commands {
            let (code, lines, broken) = Session::shown(bench.command(command), columns, 24);
            let text = lines.join("\n");
            assert!([0, 1, 4].contains(&code), "{command:?} at {columns}: {code}\n{text}");
            assert!(
                !lines.is_empty() && lines.len() <= 24,
                "{command:?} at {columns}: {}\n{text}",
                lines.len()
            );
            let is_command = |line: &&String| COMMANDS.iter().any(|begin| line.starts_with(begin));
            let others = times_in_other_forms(&lines);
            assert!(others.is_empty(), "{command:?} at {columns}: {others:?}");
            let broken: Vec<&String> = broken.iter().filter(|line| !is_command(line)).collect();
            assert!(broken.is_empty(), "{command:?} at {columns}: {broken:#?}");
        }
    }
}

/// Lengths of time that are not written as `30 s` and `2 min 5 s`; what an option takes, `--duration 30s`, is as it is pasted.
fn times_in_other_forms(lines: &[String]) -> Vec<String> {
    let prose = lines.iter().filter(|line| !COMMANDS.iter().any(|begin| line.starts_with(begin)));
    let words: Vec<&str> = prose.flat_map(|line| line.split_whitespace()).collect();
    let is_number = |word: &str| word.replace(',', "").parse::<f64>().is_ok();
    let is_other = |pair: &&[&str]| {
        let word = pair[1].trim_matches(|c: char| !c.is_alphanumeric());
        let is_pasted =
            word.strip_suffix(['s', 'm', 'h']).is_some_and(is_number) && !pair[0].starts_with("--");
        let is_spelt = ["seconds", "minutes", "hours", "sec"].contains(&word) && is_number(pair[0]);
        is_pasted || is_spelt
    };
    words.windows(2).filter(is_other).map(|pair| pair.join(" ")).collect()
}

#[test]
fn the_report_of_every_golden_record_is_one_screen() {
    let bench = Bench::new();
    let golden = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let folders = ["undisturbed", "windows"].map(|folder| golden.join(folder));
    let files = folders.iter().flat_map(|folder| std::fs::read_dir(folder).unwrap());
    let records = files.map(|file| file.unwrap().path()).filter(|path| path.extension().unwrap() == "json");
    let mut count = 0;
    for record in records {
        let name = bench.path().join(format!("{count}.iotrial.json"));
        std::fs::copy(&record, &name).unwrap();
        let name = name.file_name().unwrap().to_str().unwrap().to_owned();
        for columns in [80, 100, 140] {
            let (code, lines, _) = Session::shown(bench.command(&["report", &name]), columns, 24);
            assert!([0, 1, 4].contains(&code) && lines.len() <= 24, "{}: {lines:#?}", record.display());
            let others = times_in_other_forms(&lines);
            assert!(others.is_empty(), "{}: {others:?}", record.display());
        }
        count += 1;
    }
    assert!(count > 8, "{count}");
}

/// A result that `import` takes.
const FIO: &str = "job: (g=0): rw=randread, bs=(R) 8192B-8192B, (W) 8192B-8192B, (T) 8192B-8192B, ioengine=libaio, iodepth=8
fio-3.33
job: (groupid=0, jobs=1): err= 0: pid=1: Wed Nov 25 10:00:00 2026
  read: IOPS=9000, BW=70.3MiB/s (73.7MB/s)(4219MiB/60001msec)
    slat (nsec): min=1000, max=90000, avg=3000.00, stdev=900.00
    clat (usec): min=100, max=9000, avg=880.00, stdev=90.00
     lat (usec): min=101, max=9010, avg=883.00, stdev=90.00
";
