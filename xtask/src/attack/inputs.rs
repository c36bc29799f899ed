//! Input files that are huge, endless, or no files.

use std::fs::File;

use super::Ground;

/// Every way to name a file. A pipe that the user names is read, as shells make them; what a file names is not waited for.
const COMMANDS: &[&str] = &[
    "run ./FILE --engine sim",
    "run ./FILE --dry-run",
    "run mini.toml --engine sim --thresholds ./FILE",
    "run --fio-job FILE --engine sim",
    "run mini.toml --need FILE --engine sim",
    "profiles ./FILE",
    "profiles --from-fio FILE",
    "thresholds ./FILE",
    "study FILE",
    "study FILE --status",
    "study FILE --dry-run",
    "study export FILE --label x",
    "study add FILE FILE",
    "size --demand FILE",
    "size --read 1iops@8KiB --catalog FILE",
    "size catalogs --catalog FILE",
    "size explain FILE",
    "size explain mini.toml --record FILE",
    "import FILE",
    "audit FILE",
    "report FILE",
    "report FILE --thresholds ./FILE",
    "compare FILE FILE",
    "compare --table FILE",
    "open FILE",
    "clean FILE",
    "target FILE",
];

pub(crate) fn run(ground: &mut Ground) -> anyhow::Result<()> {
    // Sparse, so that it takes no room.
    File::create(ground.path().join("gib"))?.set_len(1 << 30)?;
    for (name, head) in
        [("toml", "format = \"iotrial.profile/1\"\n"), ("json", "{\"format\":\"iotrial.record/1\",")]
    {
        let path = ground.file(&format!("gib.{name}"), head)?;
        File::options().write(true).open(path)?.set_len(1 << 30)?;
    }
    ground.end(ground.shell("mkfifo fifo; mkdir folder; ln -s /dev/zero zero; ln -s nowhere link"))?;
    let inputs = [
        "gib",
        "gib.toml",
        "gib.json",
        "zero",
        "/dev/zero",
        "folder",
        "link",
        "/proc/self/mem",
        "<(cat /dev/zero)",
        "<(yes '[')",
    ];
    for command in COMMANDS {
        for input in inputs {
            // A process has no path that a profile can be looked for under.
            let words = command.replace("./FILE", "FILE").replace("FILE", input);
            let words = if input.starts_with(['<', '/']) { words } else { command.replace("FILE", input) };
            // Two GiB: reading one and working on it would not fit.
            let ran = ground.end(ground.shell(&format!("ulimit -v 2000000; \"$IOTRIAL\" {words}")))?;
            let wrong = ran.crash().or_else(|| match ran.code {
                Some(2 | 3) if ran.err().contains("not enough memory") => {
                    Some(format!("read whole: {}", ran.seen()))
                }
                // To clean a folder, or to list one, is no error.
                Some(0) if command.starts_with("clean") || input == "folder" => None,
                Some(2 | 3) => None,
                _ => Some(ran.seen()),
            });
            ground.case(words, wrong);
        }
    }
    named_by_files(ground)
}

/// What a file names may be a stranger's choice: nothing is waited for.
fn named_by_files(ground: &mut Ground) -> anyhow::Result<()> {
    for named in ["fifo", "gib", "/dev/zero", "folder", "link"] {
        ground.file("s.toml", format!(
            "format = \"iotrial.study/1\"\nname = \"s\"\ntitle = \"t\"\nprofiles = [\"./{named}\"]\nrepeats = 1\n[load]\nengine = \"sim\"\n[[configuration]]\nlabel = \"a\"\n"
        ).replace("./\\/", "/"))?;
        ground.file(
            "j.fio",
            format!("include {named}\n[a]\nrw=read\nbs=8k\nsize=1g\nruntime=1\ntime_based\n"),
        )?;
        for command in [
            "study s.toml --dry-run",
            "study s.toml",
            "run --fio-job j.fio --engine sim",
            "profiles --from-fio j.fio",
        ] {
            let ran = ground.end(ground.shell(&format!("ulimit -v 2000000; \"$IOTRIAL\" {command}")))?;
            let wrong = ran.crash().or_else(|| (ran.code != Some(2)).then(|| ran.seen()));
            ground.case(format!("{named}: {command}"), wrong);
        }
    }
    let secret = ground
        .file("env.fio", "[a]\nrw=read\nbs=8k\nsize=1g\nruntime=1\ntime_based\ndescription=${SECRET}\n")?;
    let job = secret.display();
    let ran = ground.end(ground.shell(&format!(
        "export SECRET=aws-4711; \"$IOTRIAL\" run --fio-job '{job}' --engine sim -q; grep -l aws-4711 store/*"
    )))?;
    ground.case("a variable of the environment in a job", ran.out().contains("store/").then(|| ran.seen()));
    Ok(())
}
