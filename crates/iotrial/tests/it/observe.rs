//! `iotrial observe` beside loads on real databases of this host, each in a temporary folder of its own and without a network; and beside clients
//! that are missing, refuse or go away.

use std::ffi::OsString;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::support::{Bench, Ran, start};

/// Servers refuse to be root; `nobody` is on every Linux.
const NOBODY: u32 = 65_534;

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// A command of a server, never as root.
fn unprivileged(program: &Path) -> Command {
    let mut command = Command::new(program);
    command.stdin(Stdio::null()).env("LC_ALL", "C");
    if is_root() {
        command.uid(NOBODY).gid(NOBODY);
    }
    command
}

#[track_caller]
fn succeed(command: &mut Command) {
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{command:?}: {said}");
}

/// A server in a folder, stopped at the end.
struct Server {
    folder: tempfile::TempDir,
    process: Child,
    stop: rustix::process::Signal,
}

impl Server {
    /// A folder for a server. Not below the build folder, where nobody else may read, and the name of a socket is short.
    fn folder() -> tempfile::TempDir {
        let folder = tempfile::Builder::new().prefix("iotrial-db-").tempdir_in("/tmp").unwrap();
        if is_root() {
            chown(folder.path(), Some(NOBODY), Some(NOBODY)).unwrap();
        }
        folder
    }

    /// Starts it, and waits until it says that it is ready.
    fn start(
        folder: tempfile::TempDir,
        mut command: Command,
        ready: &str,
        stop: rustix::process::Signal,
    ) -> Self {
        let mut process =
            command.current_dir(folder.path()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut log = BufReader::new(process.stderr.take().unwrap());
        let mut said = String::new();
        while !said.contains(ready) {
            let before = said.len();
            let count = log.read_line(&mut said).unwrap();
            assert!(count > 0 && said.len() > before, "the server ended: {said}");
        }
        // What it says later must not fill the pipe.
        std::thread::spawn(move || std::io::copy(&mut log, &mut std::io::sink()));
        Self { folder, process, stop }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = rustix::process::kill_process(rustix::process::Pid::from_child(&self.process), self.stop);
        let _ = self.process.wait();
    }
}

/// The folder of the newest PostgreSQL; `None`, with a word, where there is none.
fn postgres_programs() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = versions.map(|version| version.path().join("bin")).collect();
    folders.retain(|folder| {
        ["initdb", "postgres", "pgbench", "psql"].iter().all(|name| folder.join(name).exists())
    });
    folders.sort();
    if folders.is_empty() {
        eprintln!("skipped: there is no PostgreSQL with pgbench in /usr/lib/postgresql");
    }
    folders.pop()
}

fn postgres(programs: &Path) -> Server {
    let folder = Server::folder();
    let data = folder.path().join("data");
    let mut initdb = unprivileged(&programs.join("initdb"));
    initdb.args(["-U", "postgres", "-A", "trust", "-N", "--locale=C", "-E", "UTF8", "-D"]).arg(&data);
    succeed(initdb.current_dir(folder.path()));
    let mut server = unprivileged(&programs.join("postgres"));
    server.arg("-D").arg(&data).arg("-k").arg(folder.path());
    let settings = ["listen_addresses=", "track_wal_io_timing=on", "autovacuum=off", "logging_collector=off"];
    for setting in settings {
        server.args(["-c", setting]);
    }
    Server::start(folder, server, "ready to accept connections", rustix::process::Signal::INT)
}

/// The program with the clients of a database on its path.
fn observe(bench: &Bench, programs: &Path, words: &[&str]) -> Command {
    let mut command = bench.command(&[&["observe"], words].concat());
    let mut path = OsString::from(programs);
    path.push(":/usr/bin:/bin");
    command.env("PATH", path);
    command
}

#[track_caller]
fn ran(mut command: Command) -> Ran {
    Ran::from(start(&mut command).wait_with_output().unwrap())
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("not a number: {value}"))
}

#[test]
fn a_load_of_pgbench_is_counted_as_pgbench_counts_it_and_two_are_compared_by_transactions() {
    let Some(programs) = postgres_programs() else { return };
    let (bench, server) = (Bench::new(), postgres(&programs));
    let (socket, pgbench) = (server.path().to_str().unwrap(), programs.join("pgbench"));
    let of_pgbench = |more: &[&str]| {
        let mut words = vec!["--", pgbench.to_str().unwrap(), "-h", socket, "-U", "postgres"];
        words.extend(more);
        words.push("postgres");
        words.into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    let mut fill = Command::new(&pgbench);
    succeed(fill.args(["-h", socket, "-U", "postgres", "-i", "-q", "-s", "2", "postgres"]));
    let connect = format!("host={socket} user=postgres dbname=postgres");
    let observe = |options: &[&str], driver: &[&str]| {
        let mut words = vec!["--database", "postgres", "--connect", &connect, "--json"];
        words.extend(options);
        let driver = of_pgbench(driver);
        words.extend(driver.iter().map(String::as_str));
        ran(observe(&bench, &programs, &words))
    };
    let seconds = bench.path().join("seconds.jsonl");
    let options = ["--ramp", "2s", "--label", "small", "--record", seconds.to_str().unwrap()];
    let first = observe(&options, &["-c", "2", "-T", "6", "-P", "1"]).expect_code(0);
    // The output of the driver is somewhere else than the document.
    assert!(first.stderr.contains("number of transactions actually processed"), "{}", first.stderr);
    let answer = first.json();
    let (driver, database) = (&answer["driver"], &answer["database"]);
    assert_eq!(
        (&driver["name"], &driver["code"], &driver["client_count"]),
        (&"pgbench".into(), &0.into(), &2.into())
    );
    // Commits of the whole server: a few more are those with which pgbench begins.
    let more = number(&database["commit_count"]) - number(&driver["transaction_count"]);
    assert!((-5.0..=40.0).contains(&more), "{answer:#}");
    let transactions = &answer["transactions"];
    assert_eq!(transactions["counted_by"], "driver", "{answer:#}");
    assert!(number(&transactions["per_s"]) > 0.0 && number(&transactions["mean_ms"]) > 0.0, "{answer:#}");
    assert!(
        number(&database["log_sync_us"]) > 0.0 && number(&database["log_bytes_per_s"]) > 0.0,
        "{answer:#}"
    );
    assert_eq!(
        (&database["settings"]["fsync"], &database["settings"]["shared_buffers"]),
        (&"on".into(), &"134217728".into())
    );
    // What was written is read again: the seconds as counters, the record by every command about results.
    let lines = fs::read_to_string(&seconds).unwrap();
    assert!(
        lines.lines().skip(1).any(|line| line.contains("\"commits\"") && line.contains("progress: ")),
        "{lines}"
    );
    let counters = bench.run(&["watch", seconds.to_str().unwrap(), "--json"]);
    assert!(matches!(counters.code, 0 | 1 | 4), "{}", counters.stderr);
    let second =
        observe(&["--ramp", "1s", "--label", "large"], &["-c", "4", "-T", "4", "-P", "1"]).expect_code(0);
    assert_ne!(answer["record"], second.json()["record"]);
    let listed = bench.run(&["records", "--json"]).expect_code(0).json();
    assert_eq!(listed.as_array().unwrap().len(), 2, "{listed:#}");
    let report = bench.run(&["report", "small", "--json"]).expect_code(4).json();
    assert_eq!(report["metrics"]["transactions_per_s"], transactions["per_s"], "{report:#}");
    let comparison = bench.run(&["compare", "small", "large", "--json"]).expect_code(0).stdout;
    assert!(comparison.contains("other.transactions_per_s"), "{comparison}");
    let shown = bench.run(&["audit", "small"]);
    assert!(matches!(shown.code, 0 | 4), "{}{}", shown.stdout, shown.stderr);
}

#[test]
fn settings_that_make_a_figure_false_are_doubts() {
    let Some(programs) = postgres_programs() else { return };
    let (bench, server) = (Bench::new(), postgres(&programs));
    let socket = server.path().to_str().unwrap();
    let psql = |statement: &str| {
        let mut psql = Command::new(programs.join("psql"));
        succeed(psql.args(["-X", "-h", socket, "-U", "postgres", "-c", statement, "postgres"]));
    };
    psql("ALTER SYSTEM SET fsync = off");
    psql("ALTER SYSTEM SET synchronous_commit = off");
    psql("SELECT pg_reload_conf()");
    let connect = format!("host={socket} user=postgres dbname=postgres");
    // The server takes a moment to read its file; a new session has what it has read.
    let words = ["--database", "postgres", "--connect", &connect, "--json", "--", "true"];
    let ids = |answer: &Value| {
        let remarks = answer["remarks"].as_array().unwrap();
        remarks.iter().map(|one| one["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let mut tries = (0..100).map(|_| ran(observe(&bench, &programs, &words)));
    let answer = tries.find(|ran| ran.code != 0).unwrap().expect_code(4).json();
    let ids = ids(&answer);
    assert!(
        ids.contains(&"fsync-off".to_owned()) && ids.contains(&"commit-not-durable".to_owned()),
        "{ids:?}"
    );
}

/// MariaDB with an empty database `bench`; `None`, with a word, where it or sysbench is not there.
fn mariadb() -> Option<Server> {
    let programs =
        ["/usr/bin/mariadb-install-db", "/usr/sbin/mariadbd", "/usr/bin/mariadb", "/usr/bin/sysbench"];
    if let Some(missing) = programs.iter().find(|program| !Path::new(program).exists()) {
        eprintln!("skipped: there is no `{missing}`");
        return None;
    }
    let folder = Server::folder();
    let data = format!("--datadir={}", folder.path().join("data").display());
    let mut install = unprivileged(Path::new(programs[0]));
    install.args(["--no-defaults", &data, "--auth-root-authentication-method=normal", "--skip-test-db"]);
    succeed(install.current_dir(folder.path()));
    let mut server = unprivileged(Path::new(programs[1]));
    let in_folder = |option: &str, name: &str| format!("--{option}={}", folder.path().join(name).display());
    server.args([
        "--no-defaults",
        &data,
        "--skip-networking",
        &in_folder("socket", "s"),
        &in_folder("pid-file", "pid"),
    ]);
    let server = Server::start(folder, server, "ready for connections", rustix::process::Signal::TERM);
    let socket = format!("--socket={}", server.path().join("s").display());
    let mut client = Command::new(programs[2]);
    succeed(client.args(["--no-defaults", &socket, "--user=root", "-e", "CREATE DATABASE bench"]));
    Some(server)
}

#[test]
fn a_load_of_sysbench_on_mariadb_is_counted_as_sysbench_counts_it() {
    let Some(server) = mariadb() else { return };
    let (bench, socket) = (Bench::new(), server.path().join("s").display().to_string());
    let of_socket = format!("--mysql-socket={socket}");
    let sysbench = [
        "sysbench",
        "oltp_read_write",
        "--db-driver=mysql",
        &of_socket,
        "--mysql-user=root",
        "--mysql-db=bench",
        "--tables=1",
        "--table-size=1000",
    ];
    succeed(Command::new(sysbench[0]).args(&sysbench[1..]).arg("prepare"));
    let connect = format!("no-defaults socket={socket} user=root");
    let options = ["--database", "mysql", "--connect", &connect, "--ramp", "1s", "--json", "--"];
    let load = ["--threads=2", "--time=4", "--report-interval=1", "run"];
    let words = [&options[..], &sysbench, &load].concat();
    let answer = ran(observe(&bench, Path::new("/usr/bin"), &words)).expect_code(0).json();
    let (driver, database) = (&answer["driver"], &answer["database"]);
    assert_eq!((&driver["name"], &driver["client_count"]), (&"sysbench".into(), &2.into()));
    let more = number(&database["commit_count"]) - number(&driver["transaction_count"]);
    assert!(more.abs() <= 10.0, "{answer:#}");
    assert_eq!(answer["transactions"]["counted_by"], "driver");
    assert!(
        number(&database["log_bytes_per_s"]) > 0.0 && number(&database["cache_hit_percent"]) > 0.0,
        "{answer:#}"
    );
    // It does not tell what its sessions wait for.
    assert!(answer["limit"].get("storage_wait_percent").is_none());
    assert_eq!(database["settings"]["innodb_flush_log_at_trx_commit"], "1");
}

/// A folder with a program `psql` that a shell plays.
fn played_client(bench: &Bench, script: &str) -> PathBuf {
    let folder = bench.path().join("clients");
    fs::create_dir_all(&folder).unwrap();
    let program = folder.join("psql");
    fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

#[test]
fn a_client_that_is_missing_or_refuses_costs_no_load() {
    let bench = Bench::new();
    let begun = bench.path().join("begun");
    let words = ["--database", "postgres", "--", "touch", begun.to_str().unwrap()];
    let nothing = bench.path().join("nothing");
    let mut command = observe(&bench, &nothing, &words);
    let missing = ran({
        command.env("PATH", &nothing);
        command
    })
    .expect_code(3);
    assert!(
        missing.stderr.contains("cannot start `psql`") && missing.stderr.contains("hint: "),
        "{}",
        missing.stderr
    );
    let refusing = played_client(&bench, "echo 'psql: error: no such server' >&2; exit 2");
    let refused = ran(observe(&bench, &refusing, &words)).expect_code(3);
    assert!(refused.stderr.contains("psql: error: no such server"), "{}", refused.stderr);
    assert!(!begun.exists());
}

#[test]
fn a_database_that_goes_away_leaves_load_and_record_and_a_doubt() {
    let bench = Bench::new();
    let leaving = played_client(
        &bench,
        "read -r line; printf 'server_version_num\\t150018\\nfsync\\ton\\niotrial_end\\t\\n'
read -r line; printf 'commits\\t5\\niotrial_end\\t\\n'
echo 'server closed the connection' >&2
exit 2",
    );
    let words = ["--database", "postgres", "--json", "--", "sh", "-c", "echo orders_per_s=12.5"];
    let answer = ran(observe(&bench, &leaving, &words)).expect_code(4).json();
    assert_eq!(answer["remarks"][0]["id"], "database-silent", "{answer:#}");
    assert_eq!(answer["driver"]["metrics"]["orders_per_s"], 12.5);
    assert_eq!(answer["limit"]["by"], "unknown");
    assert!(Path::new(answer["record"].as_str().unwrap()).exists());
}

#[test]
fn a_driver_that_fails_or_is_missing_says_so() {
    let bench = Bench::new();
    let failed = bench.run(&["observe", "--json", "--", "sh", "-c", "exit 7"]).expect_code(3).json();
    assert_eq!(
        (&failed["driver"]["code"], &failed["remarks"][0]["id"]),
        (&7.into(), &"driver-failed".into())
    );
    let missing = bench.run(&["observe", "--", "./no-such-driver"]).expect_code(2);
    assert!(missing.stderr.contains("cannot start `./no-such-driver`"), "{}", missing.stderr);
    bench.run(&["observe"]).expect_code(2);
    let refused = bench.run(&["observe", "--database", "postgres", "--connect", "password=x", "--", "true"]);
    assert!(refused.code == 2 && refused.stderr.contains("~/.pgpass"), "{}", refused.stderr);
}

/// Whether a process is there and more than a name that nobody has asked about.
fn runs(pid: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(") ").next().is_some_and(|state| !state.is_empty() && !state.starts_with('Z'))
}

#[test]
fn a_stop_ends_the_driver_with_all_that_it_started_and_keeps_the_record() {
    let bench = Bench::new();
    // What it starts does not listen to the signal.
    let driver = "(trap '' TERM; echo pid=$(exec sh -c 'echo $PPID'); exec tail -f /dev/null) & wait";
    let mut command = bench.interruptible(&["observe", "--json", "--", "sh", "-c", driver]);
    let mut child = start(&mut command);
    let mut said = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    said.read_line(&mut line).unwrap();
    let pid = line.trim().strip_prefix("pid=").unwrap_or_else(|| panic!("{line}")).to_owned();
    let iotrial = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(iotrial, rustix::process::Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["is_stopped"], true);
    assert!(Path::new(answer["record"].as_str().unwrap()).exists());
    // The kernel may take a moment to end it.
    assert!((0..10_000).any(|_| !runs(&pid)), "{pid} still runs");
}

#[test]
fn statements_are_printed_for_every_database() {
    let bench = Bench::new();
    for (database, word) in [
        ("postgres", "pg_stat_io"),
        ("mysql", "SHOW GLOBAL STATUS"),
        ("sqlserver", "sys.dm_io_virtual_file_stats"),
        ("oracle", "Diagnostics Pack"),
    ] {
        let printed = bench.run(&["observe", "--sql", database]).expect_code(0).stdout;
        assert!(printed.contains(word), "{database}:\n{printed}");
    }
}
