//! Google Cloud: the SKUs of Compute Engine. A machine is paid by its cores and its memory, each with a SKU for its series.

use std::collections::BTreeMap;

use serde_json::Value;

use super::document::Machine;
use super::json;
use super::offer::{Figure, Offer, Row, What};

/// What a description of a disk begins with, the volume of the catalog, and the figure.
const DISKS: [(&str, &str, &str); 8] = [
    ("Storage PD Capacity", "pd-standard", "gib"),
    ("Balanced PD Capacity", "pd-balanced", "gib"),
    ("SSD backed PD Capacity", "pd-ssd", "gib"),
    ("Hyperdisk Balanced Capacity", "hyperdisk-balanced", "gib"),
    ("Hyperdisk Balanced IOPS", "hyperdisk-balanced", "iops"),
    ("Hyperdisk Balanced Throughput", "hyperdisk-balanced", "mib_per_s"),
    ("Hyperdisk Extreme Capacity", "hyperdisk-extreme", "gib"),
    ("Hyperdisk Extreme IOPS", "hyperdisk-extreme", "iops"),
];
/// Hours of a month, by which Google turns prices of a month into those of an hour.
const HOURS: f64 = 730.0;

pub(super) fn read(text: &str, region: &str, machines: &[Machine]) -> Result<Offer, String> {
    let value = json::parse(text)?;
    let skus =
        json::list(&value, "skus").ok_or("no list `skus` of the Cloud Billing Catalog API is in it")?;
    let mut rows = Vec::new();
    // By series: what a core and what a GiB of memory cost an hour.
    let mut series: BTreeMap<String, (Option<f64>, Option<f64>)> = BTreeMap::new();
    let mut as_of = None;
    for sku in skus {
        let regions = json::list(sku, "serviceRegions").into_iter().flatten();
        let is_here = regions.filter_map(Value::as_str).any(|one| one == region);
        let usage = sku.pointer("/category/usageType").and_then(Value::as_str);
        let Some(usd) = unit_price(sku).filter(|_| is_here && usage == Some("OnDemand")) else { continue };
        as_of = as_of.or_else(|| json::day(sku.pointer("/pricingInfo/0/effectiveTime")?.as_str()?));
        let description = json::text(sku, "description");
        if let Some((name, is_core)) = instance_part(description) {
            let entry = series.entry(name).or_default();
            *(if is_core { &mut entry.0 } else { &mut entry.1 }) = Some(usd);
        }
        let disk = DISKS.iter().find(|(begin, ..)| description.starts_with(begin));
        rows.extend(disk.map(|(_, volume, of)| disk_price(volume, of, usd)));
    }
    for machine in machines {
        // Disks of the machine are a third part of the price, which no SKU of the series has.
        let has_disks = machine.name.ends_with("lssd") || machine.name.starts_with("z3-");
        let name = machine.name.split('-').next().unwrap_or_default().to_uppercase();
        if let (false, Some((Some(core), Some(memory)))) = (has_disks, series.get(&name)) {
            let usd = machine.vcpus * core + machine.memory_gib * memory;
            rows.push(Row::machine(&machine.name, vec![Figure::new(&["price", "per_hour"], usd)]));
        }
    }
    if rows.is_empty() {
        return Err(format!("no price on demand of {region} that a catalog has is in it"));
    }
    Ok(Offer { as_of, rows, is_complete: false })
}

/// The last tier: the first ones are free amounts.
fn unit_price(sku: &Value) -> Option<f64> {
    let tiers = sku.pointer("/pricingInfo/0/pricingExpression/tieredRates")?.as_array()?;
    let price = tiers.last()?.get("unitPrice")?;
    Some(json::number(price, "units").unwrap_or(0.0) + json::number(price, "nanos").unwrap_or(0.0) / 1e9)
}

/// The series, and whether it is the price of a core: `C4D Instance Core running in Americas`, `M3 Memory-optimized Instance Ram …`.
fn instance_part(description: &str) -> Option<(String, bool)> {
    let (series, rest) = description.split_once(' ')?;
    let rest = rest.strip_prefix("Memory-optimized ").unwrap_or(rest);
    let part = rest.strip_prefix("Instance ")?;
    let is_core = part.starts_with("Core running");
    (is_core || part.starts_with("Ram running")).then(|| (series.to_owned(), is_core))
}

/// In the unit of the SKU, a month, and by the hour: a catalog has one of the two.
fn disk_price(volume: &str, of: &str, usd: f64) -> Row {
    let figures = [("month", usd), ("hour", usd / HOURS)]
        .map(|(span, usd)| Figure::new(&["price", &format!("per_{of}_{span}")], usd));
    Row { what: What::Volume, name: volume.to_owned(), figures: figures.to_vec(), whole: None }
}
