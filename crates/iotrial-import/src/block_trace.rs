//! Traces of block I/O as text, line by line: of tracefs, `perf script`, `blkparse` and `biosnoop`.
//!
//! A trace may be longer than memory, so nothing is kept but the names of devices.

use iotrial_model::block_trace::{BlockEvent, BlockEventKind, BlockOp, TraceSource};

/// No format begins with more lines of something else.
const MOST_LINES_BEFORE: u64 = 10_000;
/// No read or write is larger: limits of the kernel are far below.
const MOST_BYTES: u64 = 1 << 32;
/// A host with more is none; what a text names beyond is not counted.
const MOST_DEVICES: usize = 4_096;

/// Why a text is no trace that can be read. The message says nothing of the file: the caller names it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BlockTraceError {
    /// It is none of the formats.
    #[error("it is not a block trace that iotrial recognises")]
    Unknown,
    /// It is one of a kind that leaves out what a profile needs.
    #[error("it is the output of bpftrace's biosnoop.bt, which prints neither sectors nor sizes")]
    NoSectors,
    /// There is no I/O that went to a device.
    #[error("it has no read or write that was issued to a device")]
    NoIo,
}

/// One format: how a line of it is known, and what the line says.
struct TraceFormat {
    source: TraceSource,
    /// Whether a line can only be of this format.
    knows: fn(&str) -> bool,
    read: fn(&str, &mut Columns) -> Option<Line>,
}

/// The formats that are read. What comes first is asked first.
const FORMATS: [TraceFormat; 4] = [
    TraceFormat {
        source: TraceSource::PerfScript,
        knows: |line| line.contains(" block:block_rq_"),
        read: kernel,
    },
    TraceFormat { source: TraceSource::TracePipe, knows: |line| line.contains(": block_rq_"), read: kernel },
    TraceFormat { source: TraceSource::Biosnoop, knows: is_header, read: biosnoop },
    TraceFormat {
        source: TraceSource::Blkparse,
        knows: |line| blkparse(line, &mut Columns::default()).is_some(),
        read: blkparse,
    },
];

/// What a line says of an I/O.
#[derive(Debug, PartialEq)]
struct Line {
    device: String,
    at_ns: u64,
    kind: BlockEventKind,
    op: BlockOp,
    is_durable: bool,
    sector: u64,
    bytes: u64,
    /// The time it took, where one line has both ends of an I/O; it was issued so much earlier.
    took_ns: Option<u64>,
}

/// Where the columns of a table are, by its header.
type Columns = Vec<String>;

/// Reads a trace line by line.
#[derive(Default)]
pub struct BlockTraceReader {
    format: Option<&'static TraceFormat>,
    columns: Columns,
    devices: Vec<String>,
    line_count: u64,
    issue_count: u64,
    /// Events that the trace says it lost.
    pub lost_count: u64,
    /// Lines that are no event that counts.
    pub other_line_count: u64,
}

impl BlockTraceReader {
    /// Takes a line, and hands out what it says: nothing, one event, or both ends of an I/O.
    ///
    /// # Errors
    ///
    /// When it is clear that the text is no trace.
    pub fn line(&mut self, line: &str, hear: &mut dyn FnMut(BlockEvent)) -> Result<(), BlockTraceError> {
        self.line_count += 1;
        if let Some(lost) = lost_events(line) {
            self.lost_count += lost;
            return Ok(());
        }
        if self.format.is_none() {
            if is_bpftrace(line) {
                return Err(BlockTraceError::NoSectors);
            }
            self.format = FORMATS.iter().find(|format| (format.knows)(line));
        }
        let Some(format) = self.format else {
            self.other_line_count += 1;
            return if self.line_count > MOST_LINES_BEFORE { Err(BlockTraceError::Unknown) } else { Ok(()) };
        };
        match (format.read)(line, &mut self.columns) {
            Some(line) if line.bytes <= MOST_BYTES => self.hand_out(&line, hear),
            _ => self.other_line_count += 1,
        }
        Ok(())
    }

    fn hand_out(&mut self, line: &Line, hear: &mut dyn FnMut(BlockEvent)) {
        let Some(device) = self.device(&line.device) else {
            self.other_line_count += 1;
            return;
        };
        let Line { at_ns, kind, op, is_durable, sector, bytes, .. } = *line;
        let event = BlockEvent { at_ns, kind, device, op, is_durable, sector, bytes };
        if let Some(took_ns) = line.took_ns {
            hear(BlockEvent { at_ns: at_ns.saturating_sub(took_ns), kind: BlockEventKind::Issue, ..event });
        }
        hear(event);
        let is_issue = line.took_ns.is_some() || kind == BlockEventKind::Issue;
        self.issue_count += u64::from(is_issue && matches!(op, BlockOp::Read | BlockOp::Write));
    }

    /// The place of a device in the list; `None` where the list is full.
    fn device(&mut self, name: &str) -> Option<u32> {
        let at = self.devices.iter().position(|known| known == name).unwrap_or(self.devices.len());
        if at == MOST_DEVICES {
            return None;
        }
        if at == self.devices.len() {
            self.devices.push(name.to_owned());
        }
        u32::try_from(at).ok()
    }

    /// Who wrote the trace, and the devices that it names.
    ///
    /// # Errors
    ///
    /// When there was no I/O in it.
    pub fn end(self) -> Result<(TraceSource, Vec<String>), BlockTraceError> {
        let format = self.format.ok_or(BlockTraceError::Unknown)?;
        if self.issue_count == 0 {
            return Err(BlockTraceError::NoIo);
        }
        Ok((format.source, self.devices))
    }
}

/// `CPU:0 [LOST 123 EVENTS]`
fn lost_events(line: &str) -> Option<u64> {
    let rest = line.trim().strip_prefix("CPU:")?.split_once("[LOST ")?.1;
    rest.strip_suffix(" EVENTS]")?.parse().ok()
}

/// Seconds with a fraction, exactly.
fn nanoseconds(text: &str) -> Option<u64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = fraction.get(..fraction.len().min(9))?;
    let below = if digits.is_empty() { 0 } else { format!("{digits:0<9}").parse::<u64>().ok()? };
    whole.parse::<u64>().ok()?.checked_mul(1_000_000_000)?.checked_add(below)
}

/// The letters by which the kernel says what an I/O does (`WFS`), and whether it has to be durable. `F` at the beginning is a flush before
/// it, and behind the letter of the operation it is FUA.
fn operation(letters: &str, bytes: u64) -> Option<(BlockOp, bool)> {
    let is_word =
        !letters.is_empty() && letters.len() < 10 && letters.chars().all(|one| one.is_ascii_uppercase());
    if !is_word {
        return None;
    }
    let own = letters.strip_prefix('F').filter(|rest| !rest.is_empty()).unwrap_or(letters);
    if bytes == 0 && letters.starts_with('F') {
        return Some((BlockOp::Flush, false));
    }
    let op = match own.chars().next()? {
        'R' => BlockOp::Read,
        'W' => BlockOp::Write,
        'F' => BlockOp::Flush,
        _ => BlockOp::Other,
    };
    // A write with a flush before it is one that somebody waits for, as much as one that is durable itself.
    let is_durable = op == BlockOp::Write && (letters.starts_with('F') || own.contains('F'));
    Some((op, is_durable))
}

/// `fio-23741 [000] ..... 2667.300640: block_rq_issue: 7,0 R 8192 () 7408 + 16 be,0,4 [fio]`; `perf script` has `block:` before the event.
fn kernel(line: &str, _: &mut Columns) -> Option<Line> {
    let (head, event) = line.split_once("block_rq_")?;
    let (kind, rest) = if let Some(rest) = event.strip_prefix("issue: ") {
        (BlockEventKind::Issue, rest)
    } else {
        (BlockEventKind::Complete, event.strip_prefix("complete: ")?)
    };
    let time = head.trim_end().trim_end_matches("block:").trim_end().strip_suffix(':')?;
    let at_ns = nanoseconds(time.rsplit(' ').next()?)?;
    let (what, place) = rest.split_once(") ")?;
    let mut what = what.split_whitespace();
    let (device, letters) = (what.next()?, what.next()?);
    let mut place = place.split_whitespace();
    let (sector, plus, sectors) = (place.next()?, place.next()?, place.next()?);
    let bytes = sectors.parse::<u64>().ok().filter(|_| plus == "+")?.checked_mul(512)?;
    let (op, is_durable) = operation(letters, bytes)?;
    let sector = sector.parse().ok()?;
    Some(Line { device: device.to_owned(), at_ns, kind, op, is_durable, sector, bytes, took_ns: None })
}

/// `8,0    3        1     0.000000000   697  D  WS 223490 + 8 [kjournald]`
fn blkparse(line: &str, _: &mut Columns) -> Option<Line> {
    let mut words = line.split_whitespace();
    let (device, _cpu, _sequence) = (words.next()?, words.next()?, words.next()?);
    let is_device = device.split_once(',').is_some_and(|(major, minor)| {
        [major, minor]
            .iter()
            .all(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
    });
    let at_ns = nanoseconds(words.next()?).filter(|_| is_device)?;
    let (_pid, action, letters) = (words.next()?, words.next()?, words.next()?);
    let kind = match action {
        "D" => BlockEventKind::Issue,
        "C" => BlockEventKind::Complete,
        _ => return None,
    };
    // A flush has no place, or one without a length.
    let sector = words.next().and_then(|word| word.parse::<u64>().ok()).unwrap_or(0);
    let sectors = words.next().filter(|word| *word == "+").and_then(|_| words.next()?.parse::<u64>().ok());
    let bytes = sectors.unwrap_or(0).checked_mul(512)?;
    let (op, is_durable) = operation(letters, bytes)?;
    Some(Line { device: device.to_owned(), at_ns, kind, op, is_durable, sector, bytes, took_ns: None })
}

/// `TIME(s)     COMM           PID    DISK    T SECTOR     BYTES  LAT(ms)`
fn is_header(line: &str) -> bool {
    ["TIME(s)", "DISK", "SECTOR", "BYTES", "LAT(ms)"].iter().all(|name| line.contains(name))
}

/// `TIME(ms)     DISK    COMM             PID    LAT(ms)`
fn is_bpftrace(line: &str) -> bool {
    line.contains("TIME(ms)") && line.contains("LAT(ms)") && !line.contains("SECTOR")
}

/// A row of `biosnoop`: one for each I/O, when it is done. Names of programs may have blanks, so columns count from the end.
fn biosnoop(line: &str, columns: &mut Columns) -> Option<Line> {
    if is_header(line) {
        *columns = line.split_whitespace().map(str::to_owned).collect();
        return None;
    }
    let words: Vec<&str> = line.split_whitespace().collect();
    let of = |name: &str| {
        let from_end = columns.len() - columns.iter().position(|column| column == name)?;
        words.get(words.len().checked_sub(from_end)?).copied()
    };
    let at_ns = nanoseconds(words.first()?)?;
    let took_ns = nanoseconds(of("LAT(ms)")?)? / 1_000;
    let bytes = of("BYTES")?.parse().ok()?;
    let (op, is_durable) = operation(of("T")?, bytes)?;
    let (device, sector) = (of("DISK")?.to_owned(), of("SECTOR")?.parse().ok()?);
    let kind = BlockEventKind::Complete;
    Some(Line { device, at_ns, kind, op, is_durable, sector, bytes, took_ns: Some(took_ns) })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests;
