//! Outputs that are full, closed, or gone.

use super::Ground;

pub(crate) fn run(ground: &mut Ground) -> anyhow::Result<()> {
    let profile = ground.profile().display().to_string();
    let recorded = ground.run(&["run", &profile, "--engine", "sim", "--quiet", "--label", "first"])?;
    anyhow::ensure!(recorded.code.is_some_and(|code| code <= 1), "no record to show: {}", recorded.seen());
    let run = format!("run {profile} --engine sim --quiet");
    let commands = [
        "profiles",
        "profiles sqlserver-oltp",
        "records",
        "report last",
        "report last --json",
        "audit last",
        "compare last last",
        "size --read 4000iops@8KiB",
        "size catalogs",
        "thresholds",
        "docs",
        "docs json",
        "completions bash",
        "man",
        "man made",
        "clean .",
        "target .",
        "study nothing.toml",
        "run nothing.toml",
        "run --dry-run",
        "import nothing.json",
        "label last new",
        "--help",
        "--version",
        "no-such-command",
        &run,
    ];
    // `exec`, so that the exit code is that of the program and not of a pipe behind it.
    let outputs = [
        ("> /dev/full", None),
        ("2> /dev/full", None),
        ("> /dev/full 2> /dev/full", None),
        (">&-", None),
        ("2>&-", None),
        (">&- 2>&-", None),
        ("> >(true)", None),
        ("2> >(true)", None),
        ("2>&1", Some("| true")),
    ];
    for command in commands {
        for (redirected, piped) in outputs {
            let piped = piped.unwrap_or_default();
            let line = format!("$IOTRIAL {command} {redirected} {piped}\nexit ${{PIPESTATUS[0]}}");
            let ran = ground.end(ground.shell(&line))?;
            ground.case(format!("{command} {redirected} {piped}"), ran.crash());
        }
    }
    Ok(())
}
