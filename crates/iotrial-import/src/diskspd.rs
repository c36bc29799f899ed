//! diskspd's XML, 2.0.21 to 2.3, with and without latency, one run for each time span.
//!
//! It prints counts for each thread and target, and latencies of all of them together. There is no rate: that
//! follows from counts and time.

use iotrial_model::imported::{
    CpuBasis, ImportedJob, ImportedRecord, Stated, StatedCpu, StatedInterval, StatedLatency, StatedLoad,
    StatedOps, StatedPercentile, StatedStream,
};
use iotrial_model::load::{Durability, Pattern};
use iotrial_model::units::ByteSize;
use quick_xml::Reader;
use quick_xml::events::Event;

use crate::text::{count, kept, number, quote, quote_message};
use crate::{ImportError, Reading};

/// Elements and attributes. A result has a few thousand elements, and a day in seconds has 1.4 million
/// attributes.
// The budget is shared by all results of a file, so that many small ones cannot do what a large one may not.
const MOST_ELEMENTS: usize = 2_000_000;
const DEEPEST: usize = 64;
// Three limits that multiply: spans times targets times options are looked at for each span.
pub(crate) const MOST_SPANS: usize = 1_000;
pub(crate) const MOST_TARGETS: usize = 256;
/// A bucket of the course has 15.
const MOST_ATTRIBUTES: usize = 64;
/// Options of a target; it has some forty.
pub(crate) const MOST_OPTIONS: usize = 200;
/// Stretches of the course of a time span.
const MOST_STRETCHES: usize = 50_000;
const CUT_OFF: &str = "it ends before its XML is complete";

/// An element with its content.
#[derive(Debug, Default)]
struct Element {
    name: String,
    attributes: Vec<(String, String)>,
    text: String,
    children: Vec<Element>,
}

impl Element {
    fn all<'e>(&'e self, name: &'e str) -> impl Iterator<Item = &'e Self> {
        self.children.iter().filter(move |child| child.name == name)
    }

    fn child(&self, name: &str) -> Option<&Self> {
        self.children.iter().find(|child| child.name == name)
    }

    fn text_of(&self, name: &str) -> Option<&str> {
        self.child(name).map(|child| child.text.trim()).filter(|text| !text.is_empty())
    }

    fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// Reads all time spans of all results in a text.
pub(crate) fn read(text: &str, reading: &mut Reading<'_>) -> Result<(), ImportError> {
    let mut budget = MOST_ELEMENTS;
    let mut from = 0;
    let mut is_first = true;
    let line_ends = |bytes: &[u8]| bytes.iter().filter(|byte| **byte == b'\n').count();
    // Counted on from one result to the next: there may be a million of them.
    let (mut line, mut counted) = (1, 0);
    // Two are enough to know whether the places need a line.
    let several = text.matches("<Results>").take(2).count() > 1;
    while let Some(start) = text[from..].find("<Results>").map(|found| from + found) {
        line += line_ends(&text.as_bytes()[counted..start]);
        counted = start;
        let (results, length) = match parse(&text[start..], &mut budget) {
            Ok(parsed) => parsed,
            Err((offset, message)) => {
                let rest = &text.as_bytes()[start..];
                let line = line + line_ends(&rest[..offset.min(rest.len())]);
                let place = format!("line {line}");
                // The first result decides: where it is broken the file is. A broken one behind good ones is
                // a warning, since a run that was stopped is appended like any other.
                if is_first || budget == 0 {
                    return Err(reading.broken(place, message));
                }
                reading.notes.warn(place, message);
                // One character on, as a broken result may hide the beginning of the next.
                from = start + 1;
                continue;
            }
        };
        let prefix = if several { format!("line {line}, ") } else { String::new() };
        let spans = || results.all("TimeSpan").chain(profiles_of(&results));
        let targets = |span: &Element| span.child("Targets").map_or(0, |targets| targets.children.len());
        // Every time span looks its options up among all of them.
        let is_long = |asked: &Element| {
            let targets = asked.child("Targets").into_iter().flat_map(|targets| &targets.children);
            // Profiles are checked and not the results, because it is the profile whose options every span
            // looks through.
            [asked].into_iter().chain(targets).any(|one| one.children.len() > MOST_OPTIONS)
        };
        if spans().count() > MOST_SPANS
            || spans().any(|span| targets(span) > MOST_TARGETS)
            || profiles_of(&results).any(is_long)
        {
            let message = format!(
                "it has more than {MOST_SPANS} time spans, {MOST_TARGETS} targets in one, or {MOST_OPTIONS} options"
            );
            return Err(reading.broken(format!("line {line}"), message));
        }
        read_results(&results, &prefix, reading)?;
        is_first = false;
        from = start + length.max(1);
    }
    Ok(())
}

/// The element that the text begins with, and where it ends; or where and why it is broken.
fn parse(text: &str, budget: &mut usize) -> Result<(Element, usize), (usize, String)> {
    let mut reader = Reader::from_str(text);
    let mut open: Vec<Element> = Vec::new();
    loop {
        let event = reader.read_event();
        let at = usize::try_from(reader.buffer_position()).unwrap_or(text.len());
        let event = event.map_err(|error| match error {
            // The parser calls an end in the middle a mistake of syntax; to the reader it is a copy that was
            // cut off.
            quick_xml::Error::Syntax(_) if at >= text.len() => (at, CUT_OFF.to_owned()),
            error => (at, error.to_string()),
        })?;
        let too_many = || (at, format!("there are more than {MOST_ELEMENTS} elements and attributes"));
        let mut begin = |start: &quick_xml::events::BytesStart<'_>| {
            *budget = budget.checked_sub(1).ok_or_else(too_many)?;
            let name = start.name();
            let name: &str = name.as_ref();
            let mut element = Element { name: name.to_owned(), ..Element::default() };
            // The check for names that stand twice would compare each with each.
            for attribute in start.attributes().with_checks(false).take(MOST_ATTRIBUTES) {
                // Attributes count as elements, because the course keeps its values in them.
                let attribute = attribute.map_err(|error| (at, error.to_string()))?;
                *budget = budget.checked_sub(1).ok_or_else(too_many)?;
                let key: &str = attribute.key.as_ref();
                let value: &str = attribute.value.as_ref();
                element.attributes.push((key.to_owned(), value.to_owned()));
            }
            Ok(element)
        };
        match event {
            Event::Start(start) => {
                if open.len() >= DEEPEST {
                    return Err((at, format!("elements are nested more than {DEEPEST} deep")));
                }
                let element = begin(&start)?;
                open.push(element);
            }
            Event::Empty(start) => {
                let element = begin(&start)?;
                // Only the element that the text began with is read; what follows is looked for anew.
                match open.last_mut() {
                    Some(parent) => parent.children.push(element),
                    None => return Ok((element, at)),
                }
            }
            Event::Text(text) => {
                if let Some(element) = open.last_mut() {
                    // Undecoded text: entities come as events of their own.
                    element.text.push_str(&text.xml10_content());
                }
            }
            Event::GeneralRef(reference) => {
                let name: &str = &reference;
                let resolved = match name {
                    "amp" => Some('&'),
                    "lt" => Some('<'),
                    "gt" => Some('>'),
                    "quot" => Some('"'),
                    "apos" => Some('\''),
                    _ => reference.resolve_char_ref().map_err(|error| (at, error.to_string()))?,
                };
                if let Some(element) = open.last_mut() {
                    // An entity that is not known becomes the replacement character; dropping it would join
                    // two words.
                    element.text.push(resolved.unwrap_or('\u{fffd}'));
                }
            }
            Event::End(_) => {
                let Some(element) = open.pop() else {
                    return Err((at, "an element ends that never began".to_owned()));
                };
                match open.last_mut() {
                    Some(parent) => parent.children.push(element),
                    None => return Ok((element, at)),
                }
            }
            Event::Eof => return Err((at, CUT_OFF.to_owned())),
            _ => {}
        }
    }
}

/// What was asked for each time span.
fn profiles_of(results: &Element) -> impl Iterator<Item = &Element> {
    let spans = results.child("Profile").and_then(|profile| profile.child("TimeSpans"));
    spans.into_iter().flat_map(|spans| spans.all("TimeSpan"))
}

fn read_results(results: &Element, prefix: &str, reading: &mut Reading<'_>) -> Result<(), ImportError> {
    let system = results.child("System");
    let version = system.and_then(|system| system.child("Tool")).and_then(|tool| tool.text_of("Version"));
    let profiles: Vec<&Element> = profiles_of(results).collect();
    for error in results.all("Error") {
        reading.notes.warn(
            format!("{prefix}Results.Error"),
            format!("message from diskspd: {}", quote_message(&error.text)),
        );
    }
    for (index, span) in results.all("TimeSpan").enumerate() {
        let path = format!("{prefix}TimeSpan[{index}]");
        let mut record = reading.record("diskspd", version, path.clone());
        record.host.name = system.and_then(|system| system.text_of("ComputerName")).map(quote);
        record.measured_at = system.and_then(|system| system.text_of("RunTime")).and_then(time_of);
        let cpus = span
            .text_of("ProcCount")
            .and_then(|text| count(text, || format!("{path}.ProcCount"), &mut reading.notes));
        record.host.cpu_count = cpus.and_then(|cpus| u32::try_from(cpus).ok());
        // With fewer profiles than spans, the last one stands for the rest.
        let profile = profiles.get(index).or(profiles.last()).copied();
        Span { element: span, profile, path }.fill(&mut record, reading);
        reading.keep(record)?;
    }
    Ok(())
}

/// `2021/04/14 23:25:42 UTC`, or without the zone in older versions, when it was that of the host and is not
/// known.
pub(crate) fn time_of(text: &str) -> Option<String> {
    // Without the zone the time is that of an unknown host, and a guess would order results wrongly.
    let time = jiff::civil::DateTime::strptime("%Y/%m/%d %H:%M:%S", text.strip_suffix("UTC")?.trim()).ok()?;
    Some(time.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp().to_string())
}

/// One time span of the result, with what was asked for it.
struct Span<'e> {
    element: &'e Element,
    profile: Option<&'e Element>,
    path: String,
}

/// I/Os and their bytes; `None` where they are not stated of all.
type Counts = (Option<u64>, Option<u64>);

/// Saturating, as the numbers are a stranger's.
fn sum(a: Counts, b: Counts) -> Counts {
    let sum = |a: Option<u64>, b: Option<u64>| Some(a?.saturating_add(b?));
    (sum(a.0, b.0), sum(a.1, b.1))
}

impl Span<'_> {
    fn fill(&self, record: &mut ImportedRecord, reading: &mut Reading<'_>) {
        let runtime_s = self.stated(self.element, "TestTimeSeconds", 1.0, reading);
        let targets: Vec<&Element> = self.targets().collect();
        // Counts are by target, latencies of the whole span: with one target both are the job's; with several
        // the latencies belong to the total.
        let mut ops = self.ops(None, runtime_s, reading);
        self.add_latency(&mut ops, reading);
        match targets.as_slice() {
            [one] => record.jobs.push(self.job(one, ops, reading)),
            several => {
                for target in several {
                    let of_target = self.ops(target.text_of("Path"), runtime_s, reading);
                    record.jobs.push(self.job(target, of_target, reading));
                }
                record.total = Some(ops);
            }
        }
        record.cpu = self.cpu(reading);
        record.intervals = self.intervals(reading);
    }

    fn stated(
        &self,
        element: &Element,
        name: &str,
        factor: f64,
        reading: &mut Reading<'_>,
    ) -> Option<Stated> {
        let text = element.text_of(name)?;
        let place = || format!("{}.{}.{name}", self.path, element.name);
        number(text, place, &mut reading.notes).map(|stated| stated.times(factor))
    }

    /// The counts of all threads on one target, or on all. That of both directions is what diskspd says of
    /// both: with one direction only where it is another.
    fn ops(&self, path: Option<&str>, runtime_s: Option<Stated>, reading: &mut Reading<'_>) -> StatedOps {
        // XML has no rates: the audit works them out from count and time where it needs them.
        let nothing: Counts = (Some(0), Some(0));
        let (mut read, mut write, mut all) = (nothing, nothing, nothing);
        let threads = self.element.all("Thread").flat_map(|thread| thread.all("Target"));
        for target in threads.filter(|target| path.is_none() || target.text_of("Path") == path) {
            let mut told = |name: &str| {
                count(
                    target.text_of(name)?,
                    || format!("{}.Thread.Target.{name}", self.path),
                    &mut reading.notes,
                )
            };
            // A direction that is not mentioned is none. Where only its bytes are missing, nobody knows them.
            let mut pair = |io_count: &str, bytes: &str| match (told(io_count), told(bytes)) {
                (None, None) => nothing,
                counts => counts,
            };
            let of_reads = pair("ReadCount", "ReadBytes");
            let of_writes = pair("WriteCount", "WriteBytes");
            let sums = sum(of_reads, of_writes);
            let of_both = (told("IOCount").or(sums.0), told("BytesCount").or(sums.1));
            for (all, one) in [(&mut read, of_reads), (&mut write, of_writes), (&mut all, of_both)] {
                *all = sum(*all, one);
            }
        }
        // What diskspd says of both is kept where it is not the sum, so that the audit can see the
        // contradiction.
        let is_sum = all == sum(read, write);
        let stream = |(io_count, bytes): Counts| {
            (io_count != Some(0)).then(|| StatedStream {
                runtime_s,
                io_count,
                bytes,
                ..StatedStream::default()
            })
        };
        let (read, write) = (stream(read), stream(write));
        // With one direction only the figures of both repeat it, and would count twice.
        let all = if (read.is_some() && write.is_some()) || !is_sum { stream(all) } else { None };
        StatedOps { read, write, all, ..StatedOps::default() }
    }

    fn add_latency(&self, ops: &mut StatedOps, reading: &mut Reading<'_>) {
        let Some(latency) = self.element.child("Latency") else { return };
        let streams = [
            (&mut ops.read, ["AverageReadMilliseconds", "ReadLatencyStdev", "ReadMilliseconds"]),
            (&mut ops.write, ["AverageWriteMilliseconds", "WriteLatencyStdev", "WriteMilliseconds"]),
            (&mut ops.all, ["AverageTotalMilliseconds", "LatencyStdev", "TotalMilliseconds"]),
        ];
        for (stream, [mean, stddev, percentile]) in streams {
            let Some(stream) = stream else { continue };
            let mut stated = StatedLatency {
                mean_us: self.stated(latency, mean, 1e3, reading),
                stddev_us: self.stated(latency, stddev, 1e3, reading),
                ..StatedLatency::default()
            };
            for bucket in latency.all("Bucket") {
                let Some(percent) = self.stated(bucket, "Percentile", 1.0, reading) else { continue };
                let Some(at) = self.stated(bucket, percentile, 1e3, reading) else { continue };
                // diskspd prints minimum and maximum as the 0th and 100th percentile.
                match percent.value {
                    0.0 => stated.min_us = Some(at),
                    100.0 => stated.max_us = Some(at),
                    percent => stated.percentiles_us.push(StatedPercentile { percent, at }),
                }
            }
            stated.percentiles_us.sort_by(|a, b| a.percent.total_cmp(&b.percent));
            stream.total_latency = stated;
        }
    }

    fn cpu(&self, reading: &mut Reading<'_>) -> Option<StatedCpu> {
        let average = self.element.child("CpuUtilization")?.child("Average")?;
        Some(StatedCpu {
            usr_percent: self.stated(average, "UserPercent", 1.0, reading),
            sys_percent: self.stated(average, "KernelPercent", 1.0, reading),
            per_io_us: None,
            of: CpuBasis::Host,
        })
    }

    fn intervals(&self, reading: &mut Reading<'_>) -> Vec<StatedInterval> {
        let Some(iops) = self.element.child("Iops") else { return Vec::new() };
        let mut buckets: Vec<&Element> = iops.all("Bucket").collect();
        // Cut off and not refused: the figures of the run are whole all the same.
        if buckets.len() > MOST_STRETCHES {
            buckets.truncate(MOST_STRETCHES);
            let message = format!("only the first {MOST_STRETCHES} stretches of time are imported");
            reading.notes.warn(format!("{}.Iops", self.path), message);
        }
        let mut intervals = Vec::new();
        let mut start_s = 0.0;
        for (index, bucket) in buckets.iter().enumerate() {
            let mut attribute = |name: &str, factor: f64| {
                let text = bucket.attribute(name)?;
                let place = || format!("{}.Iops.Bucket[{index}].{name}", self.path);
                number(text, place, &mut reading.notes).map(|stated| stated.times(factor))
            };
            // Buckets name their ends only, so each begins where the last one ended; one that cannot be read
            // makes the next one longer.
            let Some(end_s) = attribute("SampleMillisecond", 1e-3).map(|end| end.value) else { continue };
            let mut stream = |name: &str| {
                let mut one = StatedStream { iops: attribute(name, 1.0), ..StatedStream::default() };
                one.total_latency.mean_us = attribute(&format!("{name}AvgLatencyMilliseconds"), 1e3);
                one.total_latency.min_us = attribute(&format!("{name}MinLatencyMilliseconds"), 1e3);
                one.total_latency.max_us = attribute(&format!("{name}MaxLatencyMilliseconds"), 1e3);
                one.total_latency.stddev_us = attribute(&format!("{name}LatencyStdDev"), 1e3);
                // A direction that did nothing has zeros in every bucket.
                Some(one).filter(|one| !one.is_idle())
            };
            let (read, write) = (stream("Read"), stream("Write"));
            intervals.push(StatedInterval {
                start_s,
                duration_s: (end_s - start_s).max(0.0),
                job: None,
                ops: StatedOps { read, write, ..StatedOps::default() },
            });
            start_s = end_s;
        }
        intervals
    }

    fn targets(&self) -> impl Iterator<Item = &Element> {
        let targets = self.profile.and_then(|profile| profile.child("Targets"));
        targets.into_iter().flat_map(|targets| targets.all("Target"))
    }

    fn is_only_target(&self) -> bool {
        self.targets().count() == 1
    }

    fn job(&self, target: &Element, ops: StatedOps, reading: &mut Reading<'_>) -> ImportedJob {
        let mut whole = |element: &Element, name: &str| {
            let text = element.text_of(name)?;
            count(text, || format!("{}.Target.{name}", self.path), &mut reading.notes)
        };
        let is_on = |name: &str| target.text_of(name).map(|text| text == "true");
        let mut load = StatedLoad {
            pattern: match (target.child("Random"), target.child("StrideSize")) {
                // Without a ratio all I/Os are random.
                (Some(_), _) if target.text_of("RandomRatio").is_none_or(|ratio| ratio == "100") => {
                    Some(Pattern::Random)
                }
                (Some(_), _) => None,
                (None, Some(_)) => Some(Pattern::Sequential),
                (None, None) => None,
            },
            // It states the share of writes.
            rwmix_read_percent: whole(target, "WriteRatio")
                .filter(|write| *write <= 100)
                .map(|write| (100 - write) as f64),
            iodepth: whole(target, "RequestCount").filter(|count| *count > 0),
            numjobs: whole(target, "ThreadsPerFile").filter(|count| *count > 0),
            direct: is_on("DisableOSCache").or_else(|| is_on("DisableAllCache")),
            durability: is_on("WriteThrough")
                .map(|through| if through { Durability::Dsync } else { Durability::None }),
            targets: target.text_of("Path").map(quote).into_iter().collect(),
            size: whole(target, "FileSize").map(ByteSize::bytes),
            ..StatedLoad::default()
        };
        let mut has_pauses = false;
        for name in ["ThinkTime", "BurstSize"] {
            has_pauses |= whole(target, name).is_some_and(|amount| amount > 0);
        }
        if let Some(profile) = self.profile {
            // `-F` makes a pool; `-O` gives it I/Os in flight. A pool of threads that share all targets;
            // where they share the outstanding I/Os too, no target has its own.
            if let Some(threads) = whole(profile, "ThreadCount").filter(|count| *count > 0) {
                load.numjobs = Some(threads);
                if let Some(shared) = whole(profile, "RequestCount").filter(|count| *count > 0) {
                    load.iodepth = self.is_only_target().then_some(shared);
                }
            }
            let mut seconds = |name: &str| whole(profile, name).map(|seconds| seconds as f64);
            (load.runtime_s, load.ramp_s) = (seconds("Duration"), seconds("Warmup"));
        }
        let size = whole(target, "BlockSize").filter(|size| *size > 0);
        let rate = whole(target, "Throughput").filter(|rate| *rate > 0);
        let is_iops = target.child("Throughput").is_some_and(|rate| rate.attribute("unit") == Some("IOPS"));
        // Of each thread, in I/Os or in bytes per millisecond.
        // Both limits are for one thread.
        match (rate.map(|rate| rate as f64 * load.numjobs.unwrap_or(1) as f64), size) {
            (Some(rate), _) if is_iops => load.rate_iops = Some(rate),
            (Some(rate), Some(size)) => load.rate_iops = Some(rate * 1e3 / size as f64),
            // A limit in bytes without a size of I/Os: the load is paced, and by how much is not known.
            (Some(_), None) => has_pauses = true,
            (None, _) => {}
        }
        load.paced = has_pauses;
        // Leaves only: the text of an element with children is the white space between them.
        let leaves = target.children.iter().filter(|child| child.children.is_empty());
        load.options = leaves.map(|leaf| (quote(&leaf.name), kept(&leaf.text))).collect();
        let name = target.text_of("Path").map_or_else(|| "target".to_owned(), quote);
        ImportedJob {
            name,
            load: load.with_block_size(size.map(ByteSize::bytes)),
            ops,
            ..ImportedJob::default()
        }
    }
}
