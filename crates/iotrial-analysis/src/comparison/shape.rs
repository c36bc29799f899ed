//! What a load does, as numbers: by it the loads of a grid are told from each other, and become curves.

use iotrial_model::load::Pattern;
use iotrial_model::subject::Subject;

/// A load of one kind of I/O.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LoadShape {
    /// How offsets follow one another.
    pub order: Pattern,
    /// Share of reads: 0 is all writes, 100 is all reads.
    pub rwmix_read_percent: f64,
    /// Size of every I/O, in bytes.
    pub block_bytes: u64,
    /// Outstanding I/Os of all copies together.
    pub outstanding: u64,
}

/// The shape of a load that is compared.
#[derive(Debug, Clone, PartialEq)]
pub struct ShapedLoad {
    /// The name that metrics carry; `None` of a comparison under one load.
    pub load: Option<String>,
    /// What it does.
    pub shape: LoadShape,
}

impl LoadShape {
    /// The shape of the only job of a result that makes as many I/Os as it can; `None` of several jobs, of a rate, and where anything of it is
    /// not known.
    pub(super) fn of(subject: &Subject<'_>) -> Option<Self> {
        let [only] = subject.jobs.as_slice() else { return None };
        let load = &only.load;
        Some(Self {
            order: load.pattern?,
            rwmix_read_percent: load.rwmix_read_percent?,
            block_bytes: load.block_size()?.get(),
            outstanding: load.total_outstanding()?,
        })
        .filter(|_| !load.is_held_back())
    }
}
