//! What more memory would spare. On Exadata the SGA is often kept small, so that scans are offloaded.

use iotrial_model::awr::{Advice, AdvisedMemory, AwrFigure, AwrReport, MemoryFacts};
use serde::Serialize;

use super::View;

/// Of what the largest size spares, a smaller one that spares nearly all is the better answer.
const NEARLY_ALL: f64 = 0.9;
/// Less than this is no reason to buy memory.
const WORTH_PERCENT: f64 = 5.0;

/// What another size would spare.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MemorySaving {
    /// Buffer cache, or PGA.
    pub memory: &'static str,
    /// Its size today; absent without an advisory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size_mib: Option<f64>,
    /// The size that spares that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub larger_mib: Option<f64>,
    /// Share of the reads of the buffer cache, or of temporary I/O, that is spared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spared_percent: Option<f64>,
    /// Whether it is only a bound: no more can be spared than that, and nobody says how much would.
    pub is_bound: bool,
    /// In words, without a full stop.
    pub text: String,
    /// What the words are made from.
    #[serde(skip)]
    pub facts: MemoryFacts,
}

pub(super) fn of(view: &View<'_>) -> Vec<MemorySaving> {
    let advised = |memory| -> Vec<&Advice> {
        view.report.advisories.iter().filter(|one| one.memory == memory).collect()
    };
    let mut savings = Vec::new();
    let reads = view.rate("physical reads cache").and_then(|one| one.value());
    let block = view.figures.value(AwrFigure::BlockKib);
    savings.extend(match larger(&advised(AdvisedMemory::BufferCache)) {
        Some(found) => Some(buffer_cache(&found, reads, block)),
        None => bound(view, reads, block),
    });
    if let Some(found) = larger(&advised(AdvisedMemory::Pga)) {
        let Larger { now: now_mib, larger: larger_mib, percent } = found;
        let facts = if percent < WORTH_PERCENT {
            MemoryFacts::PgaIsEnough
        } else {
            MemoryFacts::LargerPga { now_mib, larger_mib, percent }
        };
        savings.push(found.saving(AdvisedMemory::Pga, facts));
    }
    savings
}

/// A larger size that pays.
struct Larger {
    now: f64,
    larger: f64,
    percent: f64,
}

impl Larger {
    fn saving(&self, memory: AdvisedMemory, facts: MemoryFacts) -> MemorySaving {
        MemorySaving {
            memory: memory.as_str(),
            size_mib: Some(self.now),
            larger_mib: Some(self.larger),
            spared_percent: Some(self.percent),
            is_bound: false,
            text: iotrial_words::awr::memory(&facts),
            facts,
        }
    }
}

/// The smallest size that spares nearly all of what the largest one does.
fn larger(advice: &[&Advice]) -> Option<Larger> {
    let numbers = advice
        .iter()
        .filter_map(|one| Some((one.size_mib.value()?, one.factor.value()?, one.estimate.value()?)));
    let all: Vec<(f64, f64, f64)> = numbers.collect();
    let (now, factor, estimate) =
        *all.iter().min_by(|a, b| (a.1 - 1.0).abs().total_cmp(&(b.1 - 1.0).abs()))?;
    // Without a row for today there is nothing to compare with.
    if (factor - 1.0).abs() > 0.1 {
        return None;
    }
    let spared = |one: f64| if estimate > 0.0 { 100.0 * (1.0 - one / estimate).clamp(0.0, 1.0) } else { 0.0 };
    let above: Vec<_> = all.iter().filter(|(size, ..)| *size > now).collect();
    let most = above.iter().map(|one| spared(one.2)).fold(0.0, f64::max);
    let first = above.into_iter().find(|one| spared(one.2) >= NEARLY_ALL * most)?;
    Some(Larger { now, larger: first.0, percent: spared(first.2) })
}

fn buffer_cache(found: &Larger, reads: Option<f64>, block_kib: Option<f64>) -> MemorySaving {
    let Larger { now: now_mib, larger: larger_mib, percent } = *found;
    let facts = if percent < WORTH_PERCENT {
        MemoryFacts::BufferCacheIsEnough { now_mib }
    } else {
        let blocks_per_s = reads.map(|reads| reads * percent / 100.0);
        let mib_per_s = blocks_per_s.zip(block_kib).map(|(blocks, kib)| blocks * kib / 1024.0);
        MemoryFacts::LargerBufferCache { now_mib, larger_mib, percent, blocks_per_s, mib_per_s }
    };
    found.saving(AdvisedMemory::BufferCache, facts)
}

/// Without an advisory: what goes through the buffer cache is all that a larger one could spare.
fn bound(view: &View<'_>, reads: Option<f64>, block_kib: Option<f64>) -> Option<MemorySaving> {
    let blocks_per_s = reads?;
    let facts = MemoryFacts::AtMost {
        blocks_per_s,
        mib_per_s: block_kib.map(|kib| blocks_per_s * kib / 1024.0),
        hit_percent: AwrReport::named(&view.report.efficiency, "Buffer Hit %").and_then(|one| one.value()),
        direct_blocks_per_s: view.rate("physical reads direct").and_then(|one| one.value()),
    };
    Some(MemorySaving {
        memory: AdvisedMemory::BufferCache.as_str(),
        size_mib: AwrReport::named(&view.report.memory, "Buffer Cache").and_then(|one| one.value()),
        larger_mib: None,
        spared_percent: None,
        is_bound: true,
        text: iotrial_words::awr::memory(&facts),
        facts,
    })
}
