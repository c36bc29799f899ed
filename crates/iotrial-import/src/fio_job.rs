//! Jobs of fio: a job file or a command line becomes the text of a profile, which says of every line where it
//! comes from.
//!
//! Each option of fio is mapped, noted, or refused with a reason (`docs/fio-jobs.md`); none is dropped in
//! silence.

use std::collections::BTreeSet;
use std::fmt;
use std::time::Duration;

use iotrial_model::builtin::builtin_profiles;
use iotrial_model::content::reads_like;
use iotrial_model::profile::{PROFILE_FORMAT, Profile};
use iotrial_model::units::{ByteSize, duration_in_words, format_duration};

mod block_size;
pub(crate) mod command_line;
mod job;
mod options;
mod section;
mod value;

pub use section::{Place, Surroundings};

use block_size::toml_size;
use job::{Job, is_after_the_others, quoted, read_job};
use section::{FilesRead, Section};

/// What is asked of a job file.
#[derive(Debug, Clone, Default)]
pub struct FioJobRequest {
    /// What the profile is called.
    pub name: String,
    /// Which of several sets of jobs, from 1: `stonewall` begins a new one.
    pub set: Option<usize>,
    /// Options that cannot be understood, or that have nothing like them here, are left out.
    pub leaves_out: bool,
    /// How long a job runs that does not say it itself.
    pub runtime: Option<Duration>,
    /// What all jobs together work on, where they do not say it or say a share of a file or device: each as much as the others.
    pub size: Option<ByteSize>,
}

/// A profile that says what a job of fio says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FioProfile {
    /// TOML, which [`Profile::parse`] takes.
    pub text: String,
    /// What is not as in fio.
    pub notes: Vec<String>,
    /// What was left out because the request said so.
    pub left_out: Vec<FioJobMistake>,
}

/// What cannot become a profile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FioJobMistake {
    /// Where in the job file or on the command line.
    pub place: Place,
    /// What is wrong.
    pub message: String,
    /// What the reader can do.
    pub hint: Option<String>,
    /// Whether the load is not known without it.
    pub is_needed: bool,
}

impl fmt::Display for FioJobMistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)?;
        self.hint.as_ref().map_or(Ok(()), |hint| write!(f, " ({hint})"))
    }
}

/// All that is wrong with a job, in the order of the text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FioJobError(pub Vec<FioJobMistake>);

impl fmt::Display for FioJobError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&lines.join("\n"))
    }
}

impl std::error::Error for FioJobError {}

impl FioJobError {
    /// Whether all of it may be left out.
    pub fn may_be_left_out(&self) -> bool {
        self.0.iter().all(|mistake| !mistake.is_needed)
    }

    /// Something that the load can do without.
    fn note(&mut self, place: &Place, message: String, hint: Option<String>) {
        self.push(FioJobMistake { place: place.clone(), message, hint, is_needed: false });
    }

    /// Something that the load cannot do without.
    fn refuse(&mut self, place: &Place, message: String, hint: Option<String>) {
        self.push(FioJobMistake { place: place.clone(), message, hint, is_needed: true });
    }

    /// Whether no further mistake would be listed.
    fn is_full(&self) -> bool {
        self.0.len() > MOST_MISTAKES
    }

    fn push(&mut self, mistake: FioJobMistake) {
        match self.0.len() {
            // One line more, which says so. It counts as needed, so that the rest is never left out unseen.
            count if count < MOST_MISTAKES => self.0.push(mistake),
            MOST_MISTAKES => self.0.push(FioJobMistake {
                message: "and more from here on".to_owned(),
                hint: None,
                is_needed: true,
                ..mistake
            }),
            _ => {}
        }
    }
}

/// What differs from fio, each said once with the jobs that it is about.
#[derive(Debug, Default)]
struct Notes(Vec<(String, Vec<String>)>);

impl Notes {
    fn add(&mut self, note: &str, job: &str) {
        // By their text: most notes are the same for every job, and are said once with the jobs that they are
        // about.
        let index = self.0.iter().position(|(known, _)| known == note).unwrap_or_else(|| {
            self.0.push((note.to_owned(), Vec::new()));
            self.0.len() - 1
        });
        let jobs = &mut self.0[index].1;
        if jobs.iter().all(|known| known != job) {
            jobs.push(job.to_owned());
        }
    }

    /// As sentences; jobs are named where it is not about all of them.
    fn sentences(&self, jobs: &[Job]) -> Vec<String> {
        let sentence = |(note, about): &(String, Vec<String>)| match about.len() {
            0 => note.clone(),
            count if count == jobs.len() => note.clone(),
            _ => format!("{}: {note}", about.join(", ")),
        };
        self.0.iter().map(sentence).collect()
    }
}

/// The shorter form of a profile: its size and times, unless the job itself is smaller or shorter.
// A choice: laid out within seconds on most devices.
const QUICK_SIZE: ByteSize = ByteSize::gib(2);
const QUICK_RAMP: Duration = Duration::from_secs(5);
const QUICK_RUNTIME: Duration = Duration::from_secs(30);

/// Most mistakes that are listed; a text with more is not a job of fio.
const MOST_MISTAKES: usize = 100;

/// Whether a text looks like a command line of fio.
pub fn is_command_line(text: &str) -> bool {
    command_line::is_command_line(text)
}

/// Makes a profile of a job file, or of a command line.
///
/// # Errors
///
/// Everything that is unknown or that iotrial cannot do, with its place.
pub fn profile_of_fio_job(
    text: &str,
    request: &FioJobRequest,
    surroundings: &Surroundings<'_>,
) -> Result<FioProfile, FioJobError> {
    let mut error = FioJobError::default();
    // Job files and command lines become the same sections; from here on they are one.
    let read = if is_command_line(text) { command_line::read_command_line } else { section::read_sections };
    let sections = read(text, &mut FilesRead::default(), surroundings, &mut error);
    // The set is chosen before the jobs are understood, so that mistakes in other sets do not matter.
    let sections = choose_set(sections, request.set, &mut error);
    let mut notes = Notes::default();
    let count = sections.len().max(1) as u64;
    let size_of_each = request.size.map(|size| ByteSize::bytes((size.get() / count).max(1)));
    let mut jobs: Vec<Job> =
        sections.iter().map(|section| read_job(section, size_of_each, &mut notes, &mut error)).collect();
    for job in jobs.iter_mut().filter(|job| job.runtime.is_none()) {
        job.runtime = request.runtime.map(|runtime| (runtime, "asked for".to_owned()));
    }
    let schedule = read_schedule(&jobs, &mut notes, &mut error);
    weigh_files(&jobs, &mut notes);
    // In the order of the text, since options are read in the order in which the profile needs them.
    error.0.sort_by_key(|mistake| mistake.place.position());
    let Some(schedule) =
        schedule.filter(|_| error.0.is_empty() || (request.leaves_out && error.may_be_left_out()))
    else {
        return Err(error);
    };
    let notes = notes.sentences(&jobs);
    let text = write_profile(request, &jobs, schedule, &notes, &error);
    // A profile that is not valid would be a mistake here; whoever meets it should still get an answer.
    if let Err(mistakes) = Profile::parse(&text) {
        let place = jobs.first().map_or(Place::Word(1), |job| job.place.clone());
        error.refuse(&place, format!("no valid profile comes out of it: {mistakes}"), None);
        return Err(error);
    }
    Ok(FioProfile { text, notes, left_out: error.0 })
}

/// The jobs that run at once. `stonewall` makes several sets of them, which run one after the other: a
/// profile is one.
fn choose_set(sections: Vec<Section>, set: Option<usize>, error: &mut FioJobError) -> Vec<Section> {
    let first = sections.first().map_or(Place::Word(1), |section| section.place.clone());
    let mut sets: Vec<Vec<Section>> = Vec::new();
    for section in sections {
        // Options of `stonewall` may be in any job, and it begins the set that this job is in.
        match sets.last_mut().filter(|_| !is_after_the_others(&section)) {
            Some(set) => set.push(section),
            None => sets.push(vec![section]),
        }
    }
    let names =
        |set: &Vec<Section>| set.iter().map(|section| section.name.as_str()).collect::<Vec<_>>().join(", ");
    let list: Vec<String> =
        sets.iter().enumerate().map(|(index, set)| format!("{}: {}", index + 1, names(set))).collect();
    match (set, sets.len()) {
        (_, 0) => {
            let hint = "a job file has a [name] for each job, a command line --name=…".to_owned();
            error.refuse(&first, "there is no job in it".to_owned(), Some(hint));
            Vec::new()
        }
        (None, 1) => sets.remove(0),
        (None, count) => {
            let message = format!(
                "the jobs run in {count} sets, one after the other (`stonewall`), and a profile has jobs that run at once; {}",
                list.join("; ")
            );
            error.refuse(&first, message, Some("choose one, such as --fio-set 1".to_owned()));
            // The first set goes on being read, so that its mistakes are reported in the same run.
            sets.remove(0)
        }
        (Some(wanted), count) if (1..=count).contains(&wanted) => sets.remove(wanted - 1),
        (Some(wanted), _) => {
            let message = format!("there is no set {wanted}; there are {}", list.join("; "));
            error.refuse(&first, message, None);
            sets.remove(0)
        }
    }
}

/// The phases, which all jobs share.
#[derive(Debug, Clone)]
struct Schedule {
    runtime: (Duration, String),
    ramp: Option<(Duration, String)>,
}

fn read_schedule(jobs: &[Job], notes: &mut Notes, error: &mut FioJobError) -> Option<Schedule> {
    // All jobs of a profile share their phases; one after the other is what sets are for.
    let first = jobs.first()?;
    for job in jobs {
        if job.runtime.is_none() {
            let message = format!(
                "job `{}` has no `runtime`: it ends when an amount was moved, and iotrial measures for a time",
                job.name
            );
            error.refuse(
                &job.place,
                message,
                Some("add a runtime, such as runtime=60; `run` takes --duration for it".to_owned()),
            );
        }
        if job.start_delay != first.start_delay {
            let message = format!(
                "job `{}` begins later than the others, and all jobs of a profile begin together",
                job.name
            );
            error.refuse(&job.place, message, Some("leave startdelay out, or make two profiles".to_owned()));
        }
    }
    let runtime = first.runtime.clone()?;
    for (job, (other, _)) in jobs.iter().filter_map(|job| Some((job, job.runtime.as_ref()?))) {
        if *other != runtime.0 {
            let message = format!(
                "job `{}` runs for {} and job `{}` for {}, and all jobs of a profile end together",
                first.name,
                duration_in_words(runtime.0),
                job.name,
                duration_in_words(*other)
            );
            error.refuse(&job.place, message, Some("give them the same runtime".to_owned()));
        }
    }
    let ramps = || jobs.iter().map(|job| job.ramp.clone());
    let ramp = ramps().flatten().max_by_key(|(ramp, _)| *ramp);
    if let Some((longest, _)) = &ramp
        // A job without a ramp differs from one that has one.
        && ramps().any(|one| one.is_none_or(|(one, _)| one != *longest))
    {
        notes.add("the jobs have different ramps; all use the longest", &first.name);
    }
    Some(Schedule { runtime, ramp })
}

/// Where the files lie is for the command line to say; jobs that name the same file share it in fio only.
fn weigh_files(jobs: &[Job], notes: &mut Notes) {
    for (index, job) in jobs.iter().enumerate() {
        // `filename` is never a target: a device that a job names is not touched by itself.
        let Some(filename) = &job.filename else { continue };
        let files = || filename.split(':').filter(|file| !file.is_empty());
        let is_device = |file: &&str| file.starts_with("/dev/") || file.starts_with(r"\\.\");
        if files().count() > 1 {
            notes.add(
                "several files: fio spreads a job over all of them; iotrial creates one on each target, so give `--target` once for each file",
                &job.name,
            );
        }
        if files().any(|file| is_device(&file)) {
            let targets: Vec<String> =
                files().filter(is_device).map(|device| format!("--target {device}")).collect();
            let (name, targets) = if targets.len() > 1 {
                ("name the devices", targets.join(" "))
            } else {
                ("names the device", targets.join(" "))
            };
            notes.add(&format!("`filename={filename}`: `{targets}` {name}"), &job.name);
        } else {
            notes.add(
                "`filename`: iotrial creates a separate file for each job, in the place that `--target` names",
                &job.name,
            );
        }
        if jobs[..index].iter().any(|other| other.filename.as_ref() == Some(filename)) {
            let note = format!(
                "`filename={filename}` is also that of an earlier job; in iotrial each job has its own file"
            );
            notes.add(&note, &job.name);
        }
    }
}

/// What the profile of a job file is called: like the file, but never like a built-in profile, whose load is another one.
fn own_name(file: &str) -> String {
    let name = plain_name(file, "fio-job");
    let is_taken = builtin_profiles().iter().any(|builtin| reads_like(builtin.name, &name));
    if is_taken { format!("fio-{name}") } else { name }
}

fn write_profile(
    request: &FioJobRequest,
    jobs: &[Job],
    schedule: Schedule,
    notes: &[String],
    left_out: &FioJobError,
) -> String {
    // As text and not through a serializer, because every line carries a comment with its origin.
    let mut text = format!(
        "# Made from {} of fio. The comment after each line says where it comes from.\n",
        quoted(&request.name)
    );
    let mut list = |heading: &str, points: &[String]| {
        if !points.is_empty() {
            text.push_str(&format!("#\n# {heading}\n"));
            points.iter().for_each(|point| text.push_str(&format!("# - {}\n", one_line(point))));
        }
    };
    list("Not as in fio:", notes);
    list(
        "Left out, because it was not understood:",
        &left_out.0.iter().map(ToString::to_string).collect::<Vec<_>>(),
    );
    let mut aside: Vec<String> = jobs.iter().flat_map(|job| job.aside.clone()).collect();
    aside.sort();
    // Options that are no part of the load are mostly the same in all jobs.
    aside.dedup();
    if !aside.is_empty() {
        list("Not part of the load:", &[aside.join(", ")]);
    }
    let descriptions: Vec<String> = jobs.iter().filter_map(|job| job.description.clone()).collect();
    let names: Vec<&str> = jobs.iter().map(|job| job.name.as_str()).collect();
    // Titles are one line in lists.
    let title: String = format!("fio: {}", names.join(", ")).chars().take(120).collect();
    text.push_str(&format!(
        "format = \"{PROFILE_FORMAT}\"\nname = {}\ntitle = {}\n",
        quoted(&own_name(&request.name)),
        quoted(&title)
    ));
    if !descriptions.is_empty() {
        text.push_str(&format!("rationale = {}\n", quoted(&descriptions.join("; "))));
    }
    text.push_str(&format!(
        "source = {}\n\n[schedule]\n",
        quoted(&format!("a job of fio, {}", request.name))
    ));
    let (runtime, runtime_origin) = schedule.runtime;
    let mut lines = Vec::new();
    if let Some((ramp, origin)) = &schedule.ramp {
        lines.push((format!("ramp = {}", quoted(&format_duration(*ramp))), origin.clone()));
    }
    lines.push((format!("duration = {}", quoted(&format_duration(runtime))), runtime_origin));
    push_lines(&mut text, &lines);
    let full: ByteSize = jobs.iter().map(|job| job.size).sum();
    text.push_str("\n# A shorter form of the same load; `--full` runs the whole.\n[quick]\n");
    text.push_str(&format!("size = {}\n", toml_size(full.min(QUICK_SIZE))));
    if let Some((ramp, _)) = &schedule.ramp {
        text.push_str(&format!("ramp = {}\n", quoted(&format_duration((*ramp).min(QUICK_RAMP)))));
    }
    text.push_str(&format!("duration = {}\n", quoted(&format_duration(runtime.min(QUICK_RUNTIME)))));
    let mut taken: BTreeSet<String> = BTreeSet::new();
    for job in jobs {
        let plain = plain_name(&job.name, "job");
        // fio allows two jobs of one name, a profile does not.
        let name = (1..).map(|number| if number == 1 { plain.clone() } else { format!("{plain}-{number}") });
        let name = name.into_iter().find(|name| !taken.contains(name)).expect("numbers do not end");
        text.push_str("\n[[job]]\n");
        let mut lines =
            vec![(format!("name = {}", quoted(&name)), format!("job `{}` ({})", job.name, job.place))];
        lines
            .extend(job.keys.iter().map(|key| (format!("{} = {}", key.name, key.value), key.origin.clone())));
        push_lines(&mut text, &lines);
        taken.insert(name);
    }
    text
}

/// Lines with their origins in one column.
fn push_lines(text: &mut String, lines: &[(String, String)]) {
    // A choice: longer lines, such as a mix of sizes, would push all comments off the screen.
    const WIDEST: usize = 44;
    let width = lines.iter().map(|(line, _)| line.chars().count()).max().unwrap_or(0).min(WIDEST);
    for (line, origin) in lines {
        text.push_str(&format!("{line:<width$}  # {}\n", one_line(origin)));
    }
}

/// A comment ends with its line.
// A stranger's value must not begin a new line of TOML.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// A name with letters, digits, `-` and `_` only.
fn plain_name(name: &str, otherwise: &str) -> String {
    let plain: String = name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_') { c } else { '-' })
        // It becomes a file name.
        .take(60)
        .collect();
    let plain = plain.trim_matches('-');
    if plain.is_empty() { otherwise.to_owned() } else { plain.to_owned() }
}

#[cfg(test)]
mod tests;
