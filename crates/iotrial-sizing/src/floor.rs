//! The processors that a machine needs at least, where a demand does not say: machines are compared like with like, and not the
//! smallest of one vendor with the large one of another.

use iotrial_model::demand::Demand;
use iotrial_model::units::ByteSize;

/// GiB of memory for each hardware thread in the families that vendors make for databases: AWS r, Azure E and Google's highmem
/// sizes all have 8.
pub const GIB_PER_VCPU: f64 = 8.0;
/// The most threads that memory alone asks for: beyond 512 GiB vendors have machines with more memory for each thread.
pub const MOST_BY_MEMORY: u32 = 64;
/// I/Os per second for each hardware thread. 850,000 reads of 8 KiB at the 104 threads of a Standard_E104ids_v5 are the most that a
/// published Oracle database did with one («Oracle database performance on Azure NetApp Files multiple volumes»: 8,173 each).
pub const IOPS_PER_VCPU: f64 = 8_000.0;

/// The fewest hardware threads that are looked at, and why.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VcpuFloor {
    /// At least so many.
    pub vcpus: u32,
    /// Which rule asks for the most.
    pub why: FloorRule,
}

/// A rule of thumb, with what it is applied to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FloorRule {
    /// [`GIB_PER_VCPU`], up to [`MOST_BY_MEMORY`].
    Memory {
        /// What is asked for.
        gib: f64,
        /// Whether it would ask for more.
        is_most: bool,
    },
    /// [`IOPS_PER_VCPU`].
    Iops {
        /// At the end of the years.
        iops: f64,
    },
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
            FloorRule::Memory { gib: memory_gib, is_most: by_memory == MOST_BY_MEMORY }
        } else {
            FloorRule::Iops { iops }
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
