//! Outputs that are full, closed, or gone.

use super::Ground;

pub(crate) fn run(ground: &mut Ground) -> anyhow::Result<()> {
    let profile = ground.profile().display().to_string();
    let recorded = ground.run(&["run", &profile, "--engine", "sim", "--quiet", "--label", "first"])?;
    anyhow::ensure!(recorded.is_done(), "no record to show: {}", recorded.seen());
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
            let line = format!("\"$IOTRIAL\" {command} {redirected} {piped}\nexit ${{PIPESTATUS[0]}}");
            let ran = ground.end(ground.shell(&line))?;
            ground.case(format!("{command} {redirected} {piped}"), ran.crash());
        }
    }
    whole_runs(ground)?;
    closed_terminal(ground)
}

/// A real load, whose files must go whatever becomes of the outputs.
fn whole_runs(ground: &mut Ground) -> anyhow::Result<()> {
    for redirected in [
        "> /dev/full",
        "2> /dev/full",
        "> /dev/full 2> /dev/full",
        ">&- 2>&-",
        "> >(true) 2> >(true)",
        "2>&1 | true",
    ] {
        let target = ground.fresh()?;
        let line = format!(
            "\"$IOTRIAL\" run mini.toml --target '{}' --duration 200ms {redirected}\nexit ${{PIPESTATUS[0]}}",
            target.display()
        );
        let ran = ground.end(ground.shell(&line))?;
        ground.case(format!("a load {redirected}"), ran.crash().or_else(|| left_in(&target)));
    }
    Ok(())
}

/// The terminal goes while the load runs: without a shell that protects it the run is stopped, with one (`nohup`) it goes on.
fn closed_terminal(ground: &mut Ground) -> anyhow::Result<()> {
    if !ground.end(ground.shell("command -v script"))?.status.success() {
        ground.skip("a terminal that is closed: no script(1)");
        return Ok(());
    }
    for (protected, expected) in [("", None), ("trap '' HUP INT; ", Some("complete"))] {
        let target = ground.fresh()?;
        let place = target.display();
        // The shell between writes down how the program ended; where it dies of the signal as well, nothing.
        let inner = format!(
            "{protected}\"$IOTRIAL\" run mini.toml --target {place} --duration 3s --label gone; echo $? > {place}.code"
        );
        // In a file: a line of the shell that held it would be found by its own search for the program.
        std::fs::write(target.with_extension("sh"), inner)?;
        let line = format!(
            "script -qfc 'bash {place}.sh' /dev/null > /dev/null 2>&1 & \
             until ls {place}/*.iotrial > /dev/null 2>&1; do sleep 0.05; kill -0 $! || exit 9; done; sleep 0.5; kill -9 $!; \
             while pgrep -f \"[r]un mini.toml --target {place} \" > /dev/null; do sleep 0.1; done; cat {place}.code 2> /dev/null"
        );
        let ran = ground.end(ground.shell(&line))?;
        let code = ran.out().trim().to_owned();
        let ended = ground.run(&["report", "last", "--json"])?;
        let how = if ended.out().contains("\"ended\": \"complete\"") { "complete" } else { "stopped" };
        let wrong = (code == "101" || ran.hung).then(|| format!("ended with {code}: {}", ran.seen()));
        let wrong = wrong.or_else(|| left_in(&target));
        let wrong = wrong.or_else(|| {
            (expected.is_some_and(|expected| expected != how)).then(|| format!("{how}, code {code}"))
        });
        ground.case(format!("a terminal is closed, {}", expected.unwrap_or("stops")), wrong);
    }
    Ok(())
}

fn left_in(target: &std::path::Path) -> Option<String> {
    let left = std::fs::read_dir(target).map_or(0, |entries| entries.count());
    (left > 0).then(|| format!("{left} files are left"))
}
