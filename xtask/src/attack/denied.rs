//! Calls that a container denies: the run does without them, or says what is denied, and leaves nothing.

use serde_json::Value;

use super::Ground;
use super::ground::Ran;

/// Puts a seccomp filter on itself that answers some calls with an error, as a container's does, and becomes the program.
const DENY: &str = r#"
import ctypes, errno, os, platform, struct, sys
NUMBERS = {
    "x86_64": dict(zip("""read write mmap ioctl pread64 pwrite64 preadv2 pwritev2 madvise getrusage sysinfo flock fsync fdatasync ftruncate
        getdents64 sched_setscheduler mlock prctl sched_setaffinity sched_getaffinity fadvise64 openat mkdirat newfstatat unlinkat renameat linkat fallocate
        perf_event_open renameat2 getrandom statx io_uring_setup io_uring_enter io_uring_register clone3 openat2 statfs fstatfs clock_nanosleep
        process_vm_readv kcmp memfd_create socket close_range timerfd_create setpriority readlinkat""".split(),
        [0, 1, 9, 16, 17, 18, 327, 328, 28, 98, 99, 73, 74, 75, 77, 217, 144, 149, 157, 203, 204, 221, 257, 258, 262, 263, 264, 265, 285, 298, 316,
         318, 332, 425, 426, 427, 435, 437, 137, 138, 230, 310, 312, 319, 41, 436, 283, 141, 267])),
    "aarch64": dict(zip("""ioctl flock mkdirat unlinkat linkat renameat statfs fstatfs ftruncate fallocate getdents64 fsync fdatasync
        fadvise64 sched_setscheduler sched_setaffinity sched_getaffinity prctl mlock madvise perf_event_open renameat2 getrandom preadv2 pwritev2
        statx io_uring_setup io_uring_enter io_uring_register clone3 openat2 sysinfo getrusage kcmp process_vm_readv memfd_create readlinkat
        setpriority pread64 pwrite64""".split(),
        [29, 32, 34, 35, 37, 38, 43, 44, 46, 47, 61, 82, 83, 223, 119, 122, 123, 167, 228, 233, 241, 276, 278, 286, 287, 291, 425, 426, 427, 435,
         437, 179, 165, 272, 270, 279, 78, 140, 67, 68])),
}
error, calls, program = getattr(errno, sys.argv[1]), sys.argv[2].split(","), sys.argv[3:]
numbers = NUMBERS.get(platform.machine())
if numbers is None or any(call not in numbers for call in calls):
    sys.exit(77)
def line(code, yes, no, value):
    return struct.pack("HBBI", code, yes, no, value)
# The number of the call; the last line lets pass, and the one before answers with the error.
code = [line(0x20, 0, 0, 0)]
code += [line(0x15, len(calls) - at - 1, 0 if at + 1 < len(calls) else 1, numbers[call]) for at, call in enumerate(calls)]
code += [line(6, 0, 0, 0x00050000 | error), line(6, 0, 0, 0x7fff0000)]
text = ctypes.create_string_buffer(b"".join(code))
class Filter(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("lines", ctypes.c_void_p)]
libc = ctypes.CDLL(None, use_errno=True)
if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, ctypes.byref(Filter(len(code), ctypes.addressof(text))), 0, 0):
    sys.exit(77)
os.execv(program[0], program)
"#;

/// What a profile of a container, a sandbox of a service, or an old kernel may deny. Some together, as they are denied together.
const CALLS: &[&str] = &[
    "io_uring_setup,io_uring_enter,io_uring_register",
    "io_uring_register",
    "io_uring_enter",
    "openat2",
    "renameat2",
    "statx",
    "getrandom",
    "sched_setaffinity,sched_getaffinity,sched_setscheduler,setpriority",
    "perf_event_open,kcmp,process_vm_readv",
    "prctl",
    "mlock,madvise",
    "fallocate",
    "linkat",
    "unlinkat",
    "renameat,renameat2",
    "flock",
    "fsync",
    "fdatasync",
    "ftruncate",
    "fadvise64",
    "preadv2,pwritev2",
    "pwrite64",
    "ioctl",
    "mkdirat",
    "getdents64",
    "readlinkat",
    "statfs,fstatfs",
    "sysinfo,getrusage",
    "memfd_create",
    "clone3",
];

/// The code of [`DENY`] where this host cannot deny a call.
const CANNOT: i32 = 77;

pub(crate) fn run(ground: &mut Ground) -> anyhow::Result<()> {
    let deny = ground.file("deny.py", DENY)?.display().to_string();
    let program = ground.program().display().to_string();
    let line = |error: &str, calls: &str, words: &str| {
        format!("exec python3 '{deny}' {error} {calls} '{program}' {words}")
    };
    if ground.end(ground.shell(&line("EPERM", "openat2", "--version")))?.code != Some(0) {
        ground.skip("no python3, or no seccomp filters");
        return Ok(());
    }
    let recorded = ground.run(&["run", "mini.toml", "--engine", "sim", "-q"])?;
    anyhow::ensure!(recorded.is_done(), "no record: {}", recorded.seen());
    // Beside the runs in which they are denied: what the words are that are looked for.
    for calls in CALLS {
        for error in ["EPERM", "ENOSYS"] {
            for engine in ["", "--engine uring", "--engine threads"] {
                if !ground.tries() {
                    continue;
                }
                let target = ground.fresh()?;
                let words = format!(
                    "run mini.toml --target '{}' --duration 200ms --json -q {engine}",
                    target.display()
                );
                let ran = ground.end(ground.shell(&line(error, calls, &words)))?;
                if ran.code == Some(CANNOT) {
                    ground.skip(format!("{calls}: unknown here"));
                    continue;
                }
                let left = std::fs::read_dir(&target)?.count();
                let wrong = ran.crash().or_else(|| unclear(&ran)).or_else(|| {
                    (left > 0 && !ran.err().contains("iotrial clean"))
                        .then(|| format!("{left} files are left and not spoken of: {}", ran.seen()))
                });
                ground.case(format!("{calls} {error}, run {engine}"), wrong);
                if calls.starts_with("io_uring_setup") && engine.is_empty() {
                    let has_fallen_back = serde_json::from_slice::<Value>(&ran.stdout)
                        .is_ok_and(|summary| has(&summary, "engine-fallback"));
                    let name = format!("{calls} {error}: the run says that threads took over");
                    ground.case(name, (!has_fallen_back).then(|| ran.seen()));
                }
            }
            for words in [
                "run mini.toml --engine sim -q",
                "records",
                "report last --json",
                "report last --html r.html",
            ] {
                if !ground.tries() {
                    continue;
                }
                let ran = ground.end(ground.shell(&line(error, calls, words)))?;
                let _ = std::fs::remove_file(ground.path().join("r.html"));
                ground.case(format!("{calls} {error}, {words}"), ran.crash().or_else(|| unclear(&ran)));
            }
        }
    }
    Ok(())
}

/// Neither done nor an error that says so, nor a load of which the device failed every I/O.
fn unclear(ran: &Ran) -> Option<String> {
    let is_refused = ran.code == Some(3)
        && (ran.err().contains("error: ") || ran.out().contains("\"ended_reason\": \"every I/O"));
    (!ran.is_done() && !is_refused).then(|| ran.seen())
}

fn has(summary: &Value, id: &str) -> bool {
    summary["findings"].as_array().is_some_and(|all| all.iter().any(|one| one["id"] == id))
}
