//! The processors that a machine needs at least, where a demand does not say: machines are compared like with like, and not the
//! smallest of one vendor with the large one of another.

use iotrial_model::demand::Demand;
use iotrial_model::units::ByteSize;
use serde::Serialize;

use crate::measure::grouped;

/// GiB of memory for each hardware thread in the families that vendors make for databases: AWS r, Azure E and Google's highmem
/// sizes all have 8.
const GIB_PER_VCPU: f64 = 8.0;
/// The most threads that memory alone asks for: beyond 512 GiB vendors have machines with more memory for each thread.
const MOST_BY_MEMORY: u32 = 64;
/// I/Os per second for each hardware thread. 850,000 reads of 8 KiB at the 104 threads of a Standard_E104ids_v5 are the most that a
/// published Oracle database did with one («Oracle database performance on Azure NetApp Files multiple volumes»: 8,173 each).
const IOPS_PER_VCPU: f64 = 8_000.0;

/// The fewest hardware threads that are looked at, and why.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct VcpuFloor {
    /// At least so many.
    pub vcpus: u32,
    /// The rule, in words without a full stop.
    pub why: String,
}

impl VcpuFloor {
    /// The floor of a demand; `None` where it says itself how many it needs, or the rules ask for no more than any machine has.
    pub fn of(demand: &Demand) -> Option<Self> {
        if demand.vcpus_min > 0 {
            return None;
        }
        let memory_gib = demand.memory_min.get() as f64 / ByteSize::GIB.get() as f64;
        let by_memory = whole(memory_gib / GIB_PER_VCPU).min(MOST_BY_MEMORY);
        let iops: f64 = demand.streams.iter().map(|stream| stream.iops).sum::<f64>() * demand.load_growth();
        let by_iops = whole(iops / IOPS_PER_VCPU);
        let why = if by_memory >= by_iops {
            let most = if by_memory == MOST_BY_MEMORY {
                format!(", at most {MOST_BY_MEMORY}")
            } else {
                String::new()
            };
            format!("{} GiB of memory at {GIB_PER_VCPU} GiB per vCPU{most}", grouped(memory_gib))
        } else {
            format!("{} IOPS at {} per vCPU", grouped(iops), grouped(IOPS_PER_VCPU))
        };
        let vcpus = by_memory.max(by_iops);
        (vcpus > 1).then_some(Self { vcpus, why })
    }

    /// The demand with the floor as what it asks for.
    pub(crate) fn under(&self, demand: &Demand) -> Demand {
        Demand { vcpus_min: self.vcpus, ..demand.clone() }
    }
}

/// The least whole number that is not below `number`.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to what fits")]
fn whole(number: f64) -> u32 {
    number.ceil().clamp(0.0, f64::from(1 << 16)) as u32
}
