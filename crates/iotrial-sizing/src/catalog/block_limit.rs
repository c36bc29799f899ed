//! A limit that a vendor states at a small block size, by the size of the volume.

use iotrial_model::toml_reader::TableReader;

use super::read::{Context, MB};

/// The I/Os that a limit counts which a vendor states at a small block size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BlockSizes {
    /// Bytes of an I/O from which on it counts; a smaller or equal one does not.
    pub above: f64,
    /// The most bytes with which an I/O counts: the size at which the vendor states the limit.
    pub at: f64,
}

/// What one volume transfers in blocks of a small size. A larger I/O counts as one of that size, since a volume does not do more
/// I/Os when they are larger.
#[derive(Debug, Clone, PartialEq)]
pub struct BlockLimit {
    /// Which I/Os count, and with how many bytes.
    pub sizes: BlockSizes,
    /// GiB of a volume and its bytes per second, both rising; at least one.
    pub by_size: Vec<(f64, f64)>,
    /// Name in [`super::Catalog::sources`].
    pub source: String,
}

impl BlockLimit {
    /// What a volume of this size does: on a line between two sizes that the vendor states, and in proportion below the first.
    // The last one holds for all that are larger, as vendors print it («1,500 GB to 32 TB»).
    pub fn at(&self, size_gib: f64) -> f64 {
        let from = |index: usize| if index == 0 { (0.0, 0.0) } else { self.by_size[index - 1] };
        let next = self.by_size.iter().position(|(gib, _)| size_gib <= *gib);
        let Some(index) = next else { return self.by_size.last().map_or(0.0, |(_, most)| *most) };
        let ((low_gib, low), (high_gib, high)) = (from(index), self.by_size[index]);
        low + (high - low) * (size_gib - low_gib) / (high_gib - low_gib)
    }
}

pub(super) fn read_block_limit(table: &mut TableReader<'_>, context: &Context) -> BlockLimit {
    let at = table.required("kib", TableReader::number);
    let above = table.number("above_kib").unwrap_or_default();
    let by_size = table.needed("size", |table, key| {
        table.tables(key, |size| {
            let gib = size.required("gib", TableReader::number);
            let most = size.required("mb_per_s", TableReader::number);
            // One with a mistake is left out, so that it is not compared with its neighbours.
            Some((gib?, most? * MB))
        })
    });
    table.refuse_if(at.is_some_and(|at| above >= at), "above_kib", "`above_kib` must be less than `kib`");
    // The search takes the smallest size that suffices, so more must never be less.
    let rises = by_size.is_sorted_by(|a, b| a.0 < b.0 && a.1 <= b.1);
    let is_wrong = !rises || by_size.first().is_some_and(|(gib, _)| *gib <= 0.0);
    table.refuse_if(is_wrong, "size", "the sizes must rise, and what they transfer must not fall");
    BlockLimit {
        sizes: BlockSizes { above: above * 1024.0, at: at.unwrap_or_default() * 1024.0 },
        by_size,
        source: context.source(table),
    }
}
