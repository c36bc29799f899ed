//! Jobs of fio on the command line: the files and the environment that they are read with.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, anyhow};
use iotrial_host::machine::machine;
use iotrial_import::fio_job::{FioJobRequest, FioProfile, Surroundings, is_command_line, profile_of_fio_job};
use iotrial_model::foreign_text::Listed;
use iotrial_model::profile::Profile;
use iotrial_model::units::ByteSize;

use crate::cli::FioArgs;
use crate::failure::Failure;
use crate::intake::{STANDARD_INPUT, named_text, text};
use crate::output::{harmless, say};

/// What `$pagesize` stands for on the hosts that iotrial runs on.
const PAGE_BYTES: u64 = 4096;

/// Refuses options about a job of fio where there is none.
pub fn check_fio_args(job: Option<&str>, args: &FioArgs) -> Result<(), Failure> {
    if job.is_none() && (args.fio_set.is_some() || args.fio_leave_out || !args.fio_env.is_empty()) {
        let error = anyhow!("--fio-set, --fio-leave-out and --fio-env are for a fio job, but none is given");
        return Err(
            Failure::input(error).hint("`run` takes one by --fio-job, `profiles` by --from-fio".to_owned())
        );
    }
    Ok(())
}

/// The profile of a job file, or of a command line. What is not as in fio goes to standard error.
///
/// `asked` has the runtime and the size of jobs that do not say them themselves.
pub fn fio_profile(job: &str, args: &FioArgs, asked: Asked) -> Result<Profile, Failure> {
    let made = read_fio_job(job, args, asked)?;
    Profile::parse(&made.text).map_err(Failure::input)
}

/// What jobs take from the command line of iotrial where they lack it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Asked {
    /// How long they run.
    pub runtime: Option<Duration>,
    /// What they work on together.
    pub size: Option<ByteSize>,
}

/// The same as text, with its notes.
pub fn read_fio_job(job: &str, args: &FioArgs, asked: Asked) -> Result<FioProfile, Failure> {
    let path = Path::new(job);
    // A file may have spaces in its name, and a command line may be a file that is not there.
    let is_file = !is_command_line(job) || path.is_file();
    let is_stdin = path == Path::new(STANDARD_INPUT);
    let (job, name, folder) = if is_stdin || is_file {
        let text = text(path).with_context(|| format!("cannot read the job `{}`", path.display())).map_err(
            |error| {
                Failure::input(error)
                    .hint("a command line is given in quotes, and begins with fio".to_owned())
            },
        )?;
        let name = path.file_name().filter(|_| !is_stdin).map(|name| name.to_string_lossy().into_owned());
        let folder = path.parent().map(Path::to_owned).unwrap_or_default();
        (text, name.unwrap_or_else(|| "standard input".to_owned()), folder)
    } else {
        (job.to_owned(), "a command line".to_owned(), PathBuf::new())
    };
    // fio replaces `$ncpus` and its like when it reads a file: the same file is another load on another host.
    let host = machine();
    let surroundings = Surroundings {
        file: &|name| {
            named_text(&folder.join(name)).map_err(|error| format!("{:#}", anyhow::Error::from(error)))
        },
        // Only what the user allows: a job may be a stranger's, and what it reads ends in the record, and in reports that are sent back.
        variable: &|name| {
            args.fio_env.iter().any(|one| one == name).then(|| std::env::var(name).ok()).flatten()
        },
        cpu_count: host.cpu_count,
        memory_mib: host.memory.map_or(0, |memory| memory.get() >> 20),
        page_bytes: PAGE_BYTES,
    };
    let request = FioJobRequest {
        name,
        set: args.fio_set,
        leaves_out: args.fio_leave_out,
        runtime: asked.runtime,
        size: asked.size,
    };
    let made = profile_of_fio_job(&job, &request, &surroundings).map_err(|error| {
        let hint = if args.fio_leave_out || !error.may_be_left_out() {
            "`iotrial docs fio-jobs` says how each option is translated"
        } else {
            "--fio-leave-out leaves these out, and reads the rest"
        };
        // All mistakes at once, each with its line: jobs are long, and one at a time would take an afternoon.
        let all = Listed(error.0.iter().map(ToString::to_string).collect());
        Failure::input(all).context("this job of fio cannot become a profile").hint(hint.to_owned())
    })?;
    // What is left out changes the load, so that it is a warning; how something was read is a note.
    made.left_out.iter().for_each(|one| say!("warning: left out: {}", harmless(&one.to_string())));
    made.notes.iter().for_each(|note| say!("note: {}", harmless(note)));
    Ok(made)
}
