//! What machine and storage a database needs, from what it used: by three methods, so that their span is seen. Every factor is stated
//! with its source, and can be changed.

mod licence;
mod provision;

use iotrial_model::awr::{AwrFigure, AwrReport, FactorReason, Level, Method, Part, Provided, SizeNote};
use serde::Serialize;

pub use licence::Licences;
pub use provision::Provision;

use super::said;
use super::series::{DatabaseSeries, FEWEST_FOR_PERCENTILES};

/// Hardware threads of a core of the machine that is bought: a vCPU of the usual machines is a hyper-thread.
const TARGET_THREADS_PER_CORE: f64 = 2.0;
/// OMAT's factor for CPU, memory and I/O (`template.xlsm`); here also where a report has an average and nothing says what its peak is.
const OMAT_FACTOR: f64 = 2.0;
/// Above this share of busy CPUs OMAT takes a host for short of CPU (`template.xlsm`, %Busy CPU threshold).
pub(super) const OMAT_BUSY: f64 = 0.75;
/// From this share of DB time on, waits for a CPU say that CPUs are short.
// A choice: what has a tenth of the time is worth a decision, as everywhere in the remarks.
pub(super) const WAITS_FOR_CPU: f64 = 0.1;
/// What OMAT then adds (`template.xlsm`; its instructions say 2.00).
const OMAT_BUSY_FACTOR: f64 = 1.25;
/// Oracle's Performance Tuning Guide leaves 20 % of the memory to the system: the rest is 100/80 of SGA and PGA.
const MEMORY_FACTOR: f64 = 1.25;

/// What somebody asks for; `None` takes what the method has.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SizeRequest {
    /// How.
    pub method: Method,
    /// At what level; the 95th percentile where nothing is said.
    pub level: Option<Level>,
    /// The share of the CPUs that may be busy, above 0 and up to 1.
    pub cpu_utilisation: Option<f64>,
    /// What CPU is multiplied by.
    pub factor_cpu: Option<f64>,
    /// The same of memory.
    pub factor_memory: Option<f64>,
    /// The same of rates of I/O.
    pub factor_io: Option<f64>,
}

impl Default for SizeRequest {
    fn default() -> Self {
        Self {
            method: Method::Iotrial,
            level: None,
            cpu_utilisation: None,
            factor_cpu: None,
            factor_memory: None,
            factor_io: None,
        }
    }
}

impl SizeRequest {
    /// The level that is asked for.
    pub fn level(&self) -> Level {
        self.level.unwrap_or(Level::P95)
    }
}

/// A factor with its reason.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Factor {
    /// The option that changes it, without dashes.
    pub name: &'static str,
    /// What is multiplied by it; the utilisation, which is in percent, is divided by.
    pub value: f64,
    /// Why it is what it is.
    #[serde(serialize_with = "said::factor_reason")]
    pub why: FactorReason,
}

/// What is needed, by one method at one level.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Sized {
    /// The method.
    pub method: Method,
    /// The level.
    pub level: Level,
    /// Hardware threads in whole cores of two; absent where the source has neither CPU time nor DB time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vcpus: Option<u32>,
    /// What follows from CPU that was used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vcpus_by_cpu: Option<f64>,
    /// What follows from active sessions, which also wait: the upper end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vcpus_by_sessions: Option<f64>,
    /// Memory of the machine, in GiB.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_gib: Option<f64>,
    /// What the measured rates of I/O were multiplied by.
    pub factor_io: f64,
    /// Rates of I/O, with the factor in them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reads_per_s: Option<f64>,
    /// The same of writes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub writes_per_s: Option<f64>,
    /// Read throughput.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_mib_per_s: Option<f64>,
    /// Write throughput.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write_mib_per_s: Option<f64>,
    /// Processor licences of the CPUs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub licences: Option<Licences>,
}

impl Sized {
    /// A rate of I/O before its factor.
    pub fn measured(&self, rate: Option<f64>) -> Option<f64> {
        rate.filter(|_| self.factor_io > 0.0).map(|rate| rate / self.factor_io)
    }
}

/// The answer for one database.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RightSizing {
    /// By the method and at the level that were asked for; of a few intervals the highest stands for a percentile.
    pub chosen: Sized,
    /// Whether the level is not in the source, and a factor stands for it.
    pub is_estimate: bool,
    /// What it was multiplied by.
    pub factors: Vec<Factor>,
    /// The same level by each method, so that the span is seen.
    pub methods: Vec<Sized>,
    /// The same method at average, 95th percentile and peak, as far as there are such; empty for a single interval, which has an average only.
    pub levels: Vec<Sized>,
    /// What is there beside what is needed.
    pub provision: Vec<Provision>,
    /// What the reports are a part of, where so much is missing that the size is not that of the database.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<Part>,
    /// How it follows, and what to know.
    #[serde(serialize_with = "said::size_notes")]
    pub notes: Vec<SizeNote>,
}

/// The factors of a method.
#[derive(Debug, Clone, Copy)]
pub(super) struct Factors {
    utilisation: f64,
    cpu: f64,
    memory: f64,
    pub(super) io: f64,
}

/// Signs that CPU was short, so that what was used is what was granted.
#[derive(Debug, Clone, Copy)]
struct ShortCpus {
    /// Share of the CPUs of the host that are busy, where that is above OMAT's limit.
    busy: Option<f64>,
    /// Sessions that wait for a CPU, where those are more than a tenth of all.
    waiting: Option<f64>,
    /// CPUs that the database used and may use, where that is why they wait.
    of_limit: Option<(f64, f64)>,
}

/// What is asked of one series.
struct Sizer<'s> {
    series: &'s DatabaseSeries,
    request: &'s SizeRequest,
}

impl RightSizing {
    /// Works it out. `report` is what the series is made of where it is a single one: it has the platform, the edition and disk groups.
    pub(super) fn of(series: &DatabaseSeries, request: &SizeRequest, report: Option<&AwrReport>) -> Self {
        let sizer = Sizer { series, request };
        let level = request.level();
        let chosen = sizer.sized(request.method, level);
        let methods = Method::ALL.iter().map(|method| sizer.sized(*method, level)).collect();
        let known: &[Level] = match series.intervals.len() {
            // The highest of everything has one level.
            _ if request.method == Method::Peak => &[],
            ..2 => &[],
            _ if series.has_percentiles() => &[Level::Average, Level::P95, Level::Peak],
            _ => &[Level::Average, Level::Peak],
        };
        let levels = known.iter().map(|level| sizer.sized(request.method, *level)).collect();
        let factors = sizer.factors(request.method, level);
        let short = sizer.short_cpus(request.method, chosen.level);
        let provision = provision::of(series, &chosen, sizer.thread_ratio(), report);
        // What was granted where there was no more says nothing of what was not needed.
        let is_of_cpus = |kind: &Provided| matches!(kind, Provided::Cpus { .. } | Provided::Licences);
        let provision = provision.into_iter().map(|one| Provision {
            is_over: one.is_over && !(short.is_some() && is_of_cpus(&one.kind)),
            ..one
        });
        Self {
            factors: sizer.stated(request.method, factors),
            part: series.about.large_part().cloned(),
            is_estimate: sizer.is_guess(level),
            notes: sizer.notes(&chosen, report),
            methods,
            levels,
            provision: provision.collect(),
            chosen,
        }
    }
}

impl Sizer<'_> {
    /// Whether a level is not in the source: one report is one average, and the highest of a few says little of the days between them. A
    /// second report must not halve what the first one asked for.
    fn is_guess(&self, level: Level) -> bool {
        !self.series.has_percentiles() && level != Level::Average
    }

    /// What a method multiplies by at the level that is asked for.
    fn factors(&self, method: Method, level: Level) -> Factors {
        // What is measured needs no factor. Of a single average nobody knows what its busy minutes are.
        // The method `peak` has one level, whatever is asked for.
        let level = if method == Method::Peak { Level::Peak } else { level };
        let unseen = if self.is_guess(level) { OMAT_FACTOR } else { 1.0 };
        let own = match method {
            Method::Iotrial => {
                Factors { utilisation: OMAT_BUSY, cpu: unseen, memory: MEMORY_FACTOR, io: unseen }
            }
            Method::Omat => {
                Factors { utilisation: 1.0, cpu: OMAT_FACTOR, memory: OMAT_FACTOR, io: OMAT_FACTOR }
            }
            Method::Peak => Factors { utilisation: 1.0, cpu: unseen, memory: MEMORY_FACTOR, io: unseen },
        };
        // Factors that were asked for are those of the chosen method: the others stay as they are known.
        if method != self.request.method {
            return own;
        }
        let asked = self.request;
        Factors {
            utilisation: asked.cpu_utilisation.unwrap_or(own.utilisation),
            cpu: asked.factor_cpu.unwrap_or(own.cpu),
            memory: asked.factor_memory.unwrap_or(own.memory),
            io: asked.factor_io.unwrap_or(own.io),
        }
    }

    fn stated(&self, method: Method, factors: Factors) -> Vec<Factor> {
        let asked = self.request;
        let unseen = match self.series.intervals.len() {
            _ if !self.is_guess(asked.level()) => FactorReason::Measured,
            1 => FactorReason::OneInterval,
            _ => FactorReason::FewIntervals { enough: FEWEST_FOR_PERCENTILES },
        };
        let (by_method, memory) = match method {
            Method::Omat => (FactorReason::OfOmat, FactorReason::OfOmat),
            Method::Iotrial | Method::Peak => (unseen, FactorReason::MemoryGuide),
        };
        let utilisation = match method {
            Method::Iotrial => FactorReason::ShortOfCpu,
            Method::Omat => FactorReason::NoReserve,
            Method::Peak => FactorReason::BusiestMinute,
        };
        let factor = |name, value, given: Option<f64>, why| Factor {
            name,
            value,
            why: if given.is_some() { FactorReason::AsAsked } else { why },
        };
        vec![
            // In percent, as the option has it.
            factor("cpu-utilisation", 100.0 * factors.utilisation, asked.cpu_utilisation, utilisation),
            factor("factor-cpu", factors.cpu, asked.factor_cpu, by_method),
            factor("factor-memory", factors.memory, asked.factor_memory, memory),
            factor("factor-io", factors.io, asked.factor_io, by_method),
        ]
    }

    /// The value at a level; the method of the peak takes the highest minute where the source has one.
    fn at(&self, figure: AwrFigure, method: Method, level: Level) -> Option<f64> {
        let one = self.series.statistics(figure)?;
        Some(match method {
            Method::Peak => one.peak_minute.map_or(one.peak, |minute| minute.max(one.peak)),
            Method::Iotrial | Method::Omat => one.at(level),
        })
    }

    /// Threads of a core that is bought, by those of a core of today.
    fn thread_ratio(&self) -> f64 {
        // A vCPU is a vCPU, whatever a hypervisor calls its cores.
        if self.series.about.is_virtual {
            return 1.0;
        }
        let of = |figure| self.series.statistics(figure).map(|one| one.average);
        match (of(AwrFigure::HostCpus), of(AwrFigure::HostCores)) {
            (Some(cpus), Some(cores)) if cores > 0.0 && cpus >= cores => {
                TARGET_THREADS_PER_CORE / (cpus / cores)
            }
            // Nothing says that a core of today is another one.
            _ => 1.0,
        }
    }

    /// The CPUs that the sessions and processes of the database keep busy.
    fn used_cpus(&self, method: Method, level: Level) -> Option<f64> {
        let at = |figure| self.at(figure, method, level);
        // AWR-Miner has no CPU of background processes: it then is not in the sum.
        Some(at(AwrFigure::CpuSessions)? + at(AwrFigure::BackgroundCpuSessions).unwrap_or(0.0))
    }

    /// Whether CPUs are short at a level; `None` where nothing says so.
    fn short_cpus(&self, method: Method, level: Level) -> Option<ShortCpus> {
        let at = |figure| self.at(figure, method, level);
        let busy = at(AwrFigure::HostBusyCpus).zip(at(AwrFigure::HostCpus));
        let busy = busy.filter(|(_, cpus)| *cpus > 0.0).map(|(busy, cpus)| busy / cpus);
        let waiting = at(AwrFigure::CpuWaitSessions).zip(at(AwrFigure::ActiveSessions));
        let waiting = waiting.filter(|(waiting, active)| *waiting > WAITS_FOR_CPU * active);
        // A limit alone does not bind: `cpu_count` only does with a plan of the Resource Manager.
        let of_limit = self.used_cpus(method, level).zip(at(AwrFigure::CpuLimit));
        let of_limit = of_limit.filter(|(used, limit)| waiting.is_some() && *used > OMAT_BUSY * limit);
        let short = ShortCpus {
            busy: busy.filter(|share| *share > OMAT_BUSY),
            waiting: waiting.map(|(waiting, _)| waiting),
            of_limit,
        };
        (short.busy.is_some() || short.waiting.is_some()).then_some(short)
    }

    fn sized(&self, method: Method, level: Level) -> Sized {
        let factors = self.factors(method, level);
        let level = self.series.known_level(match method {
            Method::Peak => Level::Peak,
            Method::Iotrial | Method::Omat => level,
        });
        let at = |figure| self.at(figure, method, level);
        let ratio = self.thread_ratio();
        let cpu = self.used_cpus(method, level);
        let short = self.short_cpus(method, level);
        let waiting = short.and_then(|short| short.waiting).unwrap_or(0.0);
        let by_cpu = cpu.map(|cpu| {
            // The waits have no factor: where CPUs are short the mean is the peak, and each that is added shortens the queue.
            let waited = if waiting > 0.0 { (cpu + waiting) * ratio } else { 0.0 };
            (cpu * ratio * factors.cpu / factors.utilisation).max(waited)
        });
        let is_busy = short.is_some_and(|short| short.busy.is_some());
        let busy_factor = if method == Method::Omat && is_busy { OMAT_BUSY_FACTOR } else { 1.0 };
        let by_sessions =
            at(AwrFigure::ActiveSessions).map(|sessions| sessions * ratio * factors.cpu * busy_factor);
        let vcpus = match method {
            Method::Omat => by_sessions,
            Method::Iotrial | Method::Peak => by_cpu.or(by_sessions),
        };
        let vcpus = vcpus.and_then(whole_cores);
        let io = |figure| at(figure).map(|rate| rate * factors.io);
        Sized {
            method,
            level,
            vcpus,
            vcpus_by_cpu: by_cpu,
            vcpus_by_sessions: by_sessions,
            memory_gib: at(AwrFigure::MemoryMib).map(|used| used * factors.memory / 1024.0),
            factor_io: factors.io,
            reads_per_s: io(AwrFigure::Reads),
            writes_per_s: io(AwrFigure::Writes),
            read_mib_per_s: io(AwrFigure::ReadMib),
            write_mib_per_s: io(AwrFigure::WriteMib),
            licences: vcpus.map(|vcpus| Licences::of(vcpus, &self.series.about.enterprise)),
        }
    }

    fn notes(&self, chosen: &Sized, report: Option<&AwrReport>) -> Vec<SizeNote> {
        let about = &self.series.about;
        let mut notes: Vec<SizeNote> =
            about.large_part().cloned().map(SizeNote::OfPart).into_iter().collect();
        if self.is_guess(self.request.level()) {
            notes.push(SizeNote::FewIntervals {
                interval_count: self.series.intervals.len(),
                covered_s: self.series.covered_s,
                enough: FEWEST_FOR_PERCENTILES,
            });
        }
        if let Some(short) = self.short_cpus(chosen.method, chosen.level) {
            notes.push(SizeNote::CpuShort {
                busy_percent: short.busy.map(|share| 100.0 * share),
                waiting: short.waiting,
                of_limit: short.of_limit,
                by_sessions: chosen.vcpus_by_sessions.filter(|_| chosen.method != Method::Omat),
            });
        } else if let (Some(by_cpu), Some(by_sessions)) = (chosen.vcpus_by_cpu, chosen.vcpus_by_sessions)
            && by_sessions > 1.5 * by_cpu
            && by_sessions > 1.0
        {
            notes.push(SizeNote::SessionsWait { by_sessions, by_cpu });
        }
        if chosen.vcpus.is_some() && chosen.vcpus_by_cpu.is_none() && chosen.method != Method::Omat {
            notes.push(SizeNote::NoCpuTime);
        }
        let vcpus_per_cpu = self.thread_ratio();
        if about.is_virtual {
            notes.push(SizeNote::VirtualHost);
        } else if vcpus_per_cpu > 1.5 {
            notes.push(SizeNote::CoresAsCpus { vcpus_per_cpu });
        } else if (vcpus_per_cpu - 1.0).abs() > 0.01 {
            let per_core = TARGET_THREADS_PER_CORE / vcpus_per_cpu;
            notes.push(SizeNote::OtherThreads { per_core, vcpus_per_cpu });
        }
        if let Some(range) = &about.range {
            notes.push(SizeNote::PlainReads(range.at(chosen.read_mib_per_s, chosen.reads_per_s)));
            notes.push(SizeNote::FactorsOfOmat);
        }
        let shared = self.series.statistics(AwrFigure::HostBusyCpus).map(|one| one.at(chosen.level));
        let own = self.at(AwrFigure::CpuSessions, chosen.method, chosen.level);
        if let (Some(busy), Some(own)) = (shared, own)
            && busy > 2.0 * own.max(0.5)
        {
            notes.push(SizeNote::SharedHost { busy, own });
        }
        let has_targets = report.is_some_and(|report| {
            AwrReport::named(&report.memory, "SGA use").is_none_or(|one| !one.is_there())
        });
        if has_targets && chosen.memory_gib.is_some() {
            notes.push(SizeNote::ConfiguredMemory);
        }
        notes
    }

    /// What a demand multiplies rates by.
    fn io_factor(&self, chosen: &Sized) -> f64 {
        self.factors(chosen.method, self.request.level()).io
    }
}

/// A figure at the method and level of what was chosen, with the factor for I/O.
pub(super) fn rate_of(
    series: &DatabaseSeries,
    request: &SizeRequest,
    chosen: &Sized,
    figure: AwrFigure,
) -> Option<f64> {
    let sizer = Sizer { series, request };
    Some(sizer.at(figure, chosen.method, chosen.level)? * sizer.io_factor(chosen))
}

/// Cores are bought whole: a machine of three hardware threads is not to be had.
fn whole_cores(vcpus: f64) -> Option<u32> {
    let cores = (vcpus / TARGET_THREADS_PER_CORE).ceil().max(1.0);
    // No machine has a million; a larger number is one that cannot be.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked just before")]
    (cores.is_finite() && cores < 1e6).then_some(2 * cores as u32)
}
