//! Reads a catalog from its TOML text. Units are part of the key names: a bandwidth is `…mb_per_s…` or
//! `…mib_per_s…`, and a key without its unit is unknown.

use iotrial_model::demand::{LatencyClass, Os};
use iotrial_model::toml_reader::{Mistakes, TableReader, read_toml};

use super::block_limit::read_block_limit;
use super::capacity::{read_capacity_limit, read_pool};
use super::paid::read_paid;
use super::raid::read_raid;
use super::read_machine::{read_machine, read_path};
use super::rule::read_rule;
use super::{
    Attachment, BlockLimit, CATALOG_FORMAT, Catalog, ExchangeRate, Gap, Level, Licence, PriceStep,
    Provisioned, ProvisionedBandwidth, RaidGroup, Route, SizedLimit, Source, VolumeKind, VolumePrice,
};
use crate::measure::Measure;

// Vendors mix both within one page: OCI sells GiB but states MB/s of 10^6, AWS states volumes in MiB/s and
// instances in Mbit/s. The key says which one it is, and everything behind the reader is in bytes per second.
pub(super) const MB: f64 = 1e6;
pub(super) const MIB: f64 = 1_048_576.0;
/// The word for a latency of which no source says anything.
const UNKNOWN_LATENCY: &str = "unknown";
/// Larger than any volume that is sold: 16 PiB in GiB. It bounds what a mistyped size can ask for.
const LARGEST_GIB: u64 = 1 << 24;

/// The keys of a limit by size: what they bound, bytes for one of them, and their endings.
struct SizedKeys {
    measure: Measure,
    unit: f64,
    base: &'static str,
    per_gib: &'static str,
    min: &'static str,
    max: &'static str,
    burst: &'static str,
}

// `concat!` needs literals, so the keys are made by a macro instead of being put together at run time; the
// reader wants `&'static str` to name them in its messages.
macro_rules! sized_keys {
    ($($measure:ident $unit:expr, $burst:literal, $name:literal;)+) => {
        [$(SizedKeys {
            measure: Measure::$measure,
            unit: $unit,
            base: concat!($name, "_base"),
            per_gib: concat!($name, "_per_gib"),
            min: concat!($name, "_min"),
            max: concat!($name, "_max"),
            burst: $burst,
        }),+]
    };
}

const SIZED: [SizedKeys; 9] = sized_keys! {
    Iops 1.0, "burst_iops", "iops";
    ReadIops 1.0, "burst_read_iops", "read_iops";
    WriteIops 1.0, "burst_write_iops", "write_iops";
    // The same measure twice, once for each unit. A table that uses both is refused below.
    Bandwidth MB, "burst_mb_per_s", "mb_per_s";
    Bandwidth MIB, "burst_mib_per_s", "mib_per_s";
    ReadBandwidth MB, "burst_read_mb_per_s", "read_mb_per_s";
    ReadBandwidth MIB, "burst_read_mib_per_s", "read_mib_per_s";
    WriteBandwidth MB, "burst_write_mb_per_s", "write_mb_per_s";
    WriteBandwidth MIB, "burst_write_mib_per_s", "write_mib_per_s";
};

/// The keys of a limit of one thing, such as a port: bytes for one of them.
pub(super) const PLAIN: [(&str, Measure, f64); 9] = [
    ("iops_max", Measure::Iops, 1.0),
    ("read_iops_max", Measure::ReadIops, 1.0),
    ("write_iops_max", Measure::WriteIops, 1.0),
    ("mb_per_s_max", Measure::Bandwidth, MB),
    ("mib_per_s_max", Measure::Bandwidth, MIB),
    ("read_mb_per_s_max", Measure::ReadBandwidth, MB),
    ("read_mib_per_s_max", Measure::ReadBandwidth, MIB),
    ("write_mb_per_s_max", Measure::WriteBandwidth, MB),
    ("write_mib_per_s_max", Measure::WriteBandwidth, MIB),
];

/// What every table of a catalog is read with.
pub(super) struct Context {
    /// Of the catalog.
    pub(super) currency: String,
    /// Names of sources.
    pub(super) sources: Vec<String>,
}

impl Context {
    /// The name of a source, which must be one that the catalog defines.
    pub(super) fn source(&self, table: &mut TableReader<'_>) -> Option<String> {
        let name = table.required("source", TableReader::text)?;
        if self.sources.contains(&name) {
            // Every figure needs somebody who says it. Without this check a typo would turn a source into an
            // empty citation.
            return Some(name);
        }
        let message = format!("[source.{name}] is missing; there are {}", self.sources.join(", "));
        table.refuse("source", message)
    }

    /// The currency of a price.
    pub(super) fn price_currency(&self, table: &mut TableReader<'_>) -> Option<String> {
        if table.has("currency") { currency(table, "currency") } else { Some(self.currency.clone()) }
    }
}

pub(super) fn read(text: &str) -> Result<Catalog, Mistakes> {
    read_toml(text, |top| {
        top.required("format", |top, key| top.word(key, &[(CATALOG_FORMAT, ())]));
        let provider = top.required("provider", read_provider);
        let title = top.text("title");
        let region = top.text("region");
        let currency = top.required("currency", currency);
        let hours_per_month = top.required("hours_per_month", TableReader::number);
        // 744 hours are 31 days, 730 a twelfth of a year; both are in use. Less than 600 is not a month, and
        // would make hourly prices look cheap.
        if hours_per_month.is_some_and(|hours| !(600.0..=744.0).contains(&hours)) {
            top.refuse::<()>("hours_per_month", "`hours_per_month` must be from 600 to 744".to_owned());
        }
        let sources =
            top.required("source", |top, key| top.named_tables(key, read_source)).unwrap_or_default();
        let context = Context {
            currency: currency.clone().unwrap_or_default(),
            // Sources are read first, because every table after them must name one. Volumes come before
            // paths, machines and rules, which name volumes.
            sources: sources.iter().map(|(name, _)| name.clone()).collect(),
        };
        let exchange = top.tables("exchange", |table| read_exchange(table, &context)).unwrap_or_default();
        let licences = top.tables("licence", |table| read_licence(table, &context)).unwrap_or_default();
        let volumes =
            top.required("volume", |top, key| top.tables(key, |table| read_volume(table, &context)))?;
        let names: Vec<String> = volumes.iter().map(|kind| kind.name.clone()).collect();
        refuse_twice(top, "volume", &names);
        let paths = top.tables("path", |table| {
            let path = read_path(table, &names)?;
            // A path of the catalog needs a source of its own; one of a machine has the machine's. So the
            // shared reader leaves the source open.
            Some(super::SharedPath { source: Some(context.source(table)?), ..path })
        });
        let capacity_limits =
            top.tables("capacity_limit", |table| read_capacity_limit(table, &context, &names));
        let machines = top.required("machine", |top, key| {
            top.tables(key, |table| read_machine(table, &context, &volumes))
        })?;
        let machine_names: Vec<String> = machines.iter().map(|machine| machine.name.clone()).collect();
        refuse_twice(top, "machine", &machine_names);
        let paid = read_paid(top, &context, &machines);
        let rules = top.tables("rule", |table| read_rule(table, &context.sources, &volumes));
        let gaps = top.tables("gap", |table| {
            let text = table.required("text", TableReader::text);
            let main_disk = table.text("main_disk");
            Some(Gap { text: text?, main_disk, source: context.source(table)? })
        });
        // The `?` come last: whatever is missing above, all tables have been read by then and all their
        // mistakes are reported at once.
        let provider = provider?;
        Some(Catalog {
            title: title.unwrap_or_else(|| provider.clone()),
            provider,
            of_file: None,
            region,
            currency: currency?,
            hours_per_month: hours_per_month?,
            sources: sources.into_iter().collect(),
            exchange,
            licences,
            paid,
            paths: paths.unwrap_or_default(),
            capacity_limits: capacity_limits.unwrap_or_default(),
            volumes,
            machines,
            rules: rules.unwrap_or_default(),
            gaps: gaps.unwrap_or_default(),
        })
    })
}

fn read_provider(top: &mut TableReader<'_>, key: &'static str) -> Option<String> {
    let name = top.text(key)?;
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    // The name is the value of `--provider`, so it is kept to characters that no shell interprets.
    if name.is_empty() || name.len() > 32 || !name.chars().all(fits) {
        return top.refuse(key, "`provider` must be up to 32 letters a to z, digits and `-`".to_owned());
    }
    Some(name)
}

/// An ISO 4217 code.
fn currency(table: &mut TableReader<'_>, key: &'static str) -> Option<String> {
    let code = table.text(key)?;
    if code.len() == 3 && code.chars().all(|c| c.is_ascii_uppercase()) {
        return Some(code);
    }
    table.refuse(key, format!("`{key}` must be a code such as \"USD\" or \"EUR\", not \"{code}\""))
}

fn read_source(table: &mut TableReader<'_>) -> Option<Source> {
    let text = table.required("text", TableReader::text);
    let as_of = table.required("as_of", TableReader::text)?;
    let is_day = is_day(&as_of);
    // «undated» has to be written out: a missing date is a statement about the source and not an oversight.
    if !is_day && as_of != "undated" {
        let message =
            format!("`as_of` must be a day such as \"2026-01-05\", or \"undated\", not \"{as_of}\"");
        return table.refuse("as_of", message);
    }
    Some(Source { text: text?, as_of: is_day.then_some(as_of) })
}

/// A day that there is in a calendar.
fn is_day(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts[..] else { return false };
    let number = |text: &str, length: usize| -> Option<u32> {
        // Fixed lengths: «2026-1-5» would sort wrongly, and ages are compared as text.
        (text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok())?
    };
    let (Some(year), Some(month), Some(day)) = (number(year, 4), number(month, 2), number(day, 2)) else {
        return false;
    };
    // A date such as 2025-02-29 was never written by a source, so it is a typo (a fresh user found one
    // accepted).
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    (1..=days).contains(&day)
}

fn read_exchange(table: &mut TableReader<'_>, context: &Context) -> Option<ExchangeRate> {
    let to = table.required("to", currency);
    let per_unit = table.required("per_unit", TableReader::number);
    let source = context.source(table);
    // It is also divided by, when converting the other way.
    if per_unit == Some(0.0) {
        return table.refuse("per_unit", "`per_unit` must be more than zero".to_owned());
    }
    Some(ExchangeRate { to: to?, per_unit: per_unit?, source: source? })
}

fn read_licence(table: &mut TableReader<'_>, context: &Context) -> Option<Licence> {
    let names: Vec<_> = Os::ALL.iter().map(|os| (os.as_str(), *os)).collect();
    let os = table.required("os", |table, key| table.word(key, &names));
    let per_ocpu_hour = table.number("per_ocpu_hour").unwrap_or(0.0);
    let per_vcpu_hour = table.number("per_vcpu_hour").unwrap_or(0.0);
    let source = context.source(table);
    Some(Licence { os: os?, per_ocpu_hour, per_vcpu_hour, source: source? })
}

fn read_volume(table: &mut TableReader<'_>, context: &Context) -> Option<VolumeKind> {
    let name = table.required("name", TableReader::name);
    let title = table.text("title");
    let over_network = table.boolean("over_network").unwrap_or(false);
    let network_only = table.boolean("network_only").unwrap_or(false);
    let local = table.boolean("local").unwrap_or(false);
    // `unknown` may be said, so that a catalog can tell «looked for and not found» from «forgotten».
    let promised = LatencyClass::ALL.iter().map(|class| (class.as_str(), Some(*class)));
    let classes: Vec<_> = promised.chain([(UNKNOWN_LATENCY, None)]).collect();
    let latency = table.word("latency", &classes).flatten();
    let count_max = table.integer("count_max", 1..=1 << 16).and_then(|count| u32::try_from(count).ok());
    // IOPS units are stated in KiB even by vendors that state bandwidth in MB/s (256 KiB on Azure disks).
    let iops_unit = table.number("iops_unit_kib").map(|kib| kib * 1024.0);
    let has_credits = table.boolean("mb_per_s_in_units").unwrap_or(false);
    if has_credits && iops_unit.is_none() {
        table.refuse::<()>("mb_per_s_in_units", "`iops_unit_kib` is missing: it defines the unit".to_owned());
    }
    let is_main = table.boolean("main").unwrap_or(false);
    let pool = table.table("pool", |pool| read_pool(pool, context));
    let shared_by_machine = table.boolean("shared_by_machine").unwrap_or(false);
    let attachments = table.tables("attachment", |table| read_attachment(table, context)).unwrap_or_default();
    // Limits beside the levels hold for each of them; all else does where a level does not say otherwise.
    let beside = LevelParts::read(table, context);
    let levels = table.tables("level", |table| {
        let name = table.required("name", TableReader::name);
        let own = LevelParts::read(table, context);
        own.over(&beside).level(table, name?, local)
    });
    let source = context.source(table);
    let levels = match levels {
        Some(levels) => levels,
        // `[[volume.level]]` was there but wrong: its mistakes have been reported. Making a level without a
        // name of it would add misleading ones.
        None if table.has("level") => return None,
        None => vec![beside.level(table, String::new(), local)?],
    };
    let level_names: Vec<String> = levels.iter().map(|level| level.name.clone()).collect();
    refuse_twice(table, "level", &level_names);
    let name = name?;
    // NFS passes the network anyway, so `network_only` decides whether or not `over_network` stands with it.
    let route = match (over_network, network_only, local) {
        (false, false, true) => Route::Local,
        (_, true, false) => Route::Network,
        (true, false, false) => Route::VolumesOverNetwork,
        (false, false, false) => Route::Volumes,
        (_, _, true) => {
            return table.refuse("local", "a volume inside the machine does not use the network".to_owned());
        }
    };
    Some(VolumeKind {
        title: title.unwrap_or_else(|| name.clone()),
        name,
        route,
        latency,
        count_max,
        iops_unit,
        has_credits,
        is_main,
        pool,
        shared_by_machine,
        attachments,
        levels,
        source: source?,
    })
}

pub(super) fn refuse_twice(table: &TableReader<'_>, key: &str, names: &[String]) {
    // Quadratic, but a catalog has a few hundred names, and it finds the first duplicate in the order of the
    // file.
    let twice = names.iter().enumerate().find(|(index, name)| names[..*index].contains(name));
    if let Some((_, name)) = twice {
        table.refuse::<()>(key, format!("two of the {key}s are named `{name}`"));
    }
}

fn read_attachment(table: &mut TableReader<'_>, context: &Context) -> Option<Attachment> {
    let name = table.required("name", TableReader::name);
    let limits = read_plain(table);
    let source = context.source(table);
    Some(Attachment { name: name?, limits, source: source? })
}

/// The limits of one thing.
pub(super) fn read_plain(table: &mut TableReader<'_>) -> Vec<(Measure, f64)> {
    let mut limits: Vec<(Measure, f64)> = Vec::new();
    for (key, measure, unit) in PLAIN {
        if let Some(amount) = table.number(key) {
            if limits.iter().any(|(other, _)| *other == measure) {
                table.refuse::<()>(
                    key,
                    format!("`{key}`: {measure} is limited in MB/s or in MiB/s, not both"),
                );
            }
            limits.push((measure, amount * unit));
        }
    }
    limits
}

/// What a level says, and what a kind says for all its levels.
#[derive(Default)]
struct LevelParts {
    size: Option<(u64, u64)>,
    limits: Vec<SizedLimit>,
    by_block: Vec<BlockLimit>,
    iops_commitment: Option<bool>,
    provisioned: Option<Provisioned>,
    raid: Option<RaidGroup>,
    vpus_per_gib: Option<f64>,
    price: Option<VolumePrice>,
}

impl LevelParts {
    fn read(table: &mut TableReader<'_>, context: &Context) -> Self {
        // The three keys are always read, whatever the combination, so that none of them is reported as
        // unknown as well.
        let fixed = table.integer("size_gib", 1..=LARGEST_GIB);
        let min = table.integer("size_min_gib", 1..=LARGEST_GIB);
        let max = table.integer("size_max_gib", 1..=LARGEST_GIB);
        let size = match (fixed, min, max) {
            (Some(size), None, None) => Some((size, size)),
            (None, Some(min), Some(max)) if min <= max => Some((min, max)),
            (None, None, None) => None,
            _ => table.refuse(
                "size_min_gib",
                "give a size as `size_gib`, or as `size_min_gib` and a larger `size_max_gib`".to_owned(),
            ),
        };
        Self {
            size,
            limits: read_sized(table),
            by_block: table.tables("at_block", |limit| read_block_limit(limit, context)).unwrap_or_default(),
            iops_commitment: table.boolean("iops_commitment"),
            provisioned: table.table("provisioned", read_provisioned),
            raid: table.table("raid", read_raid),
            vpus_per_gib: table.number("vpus_per_gib"),
            price: table.table("price", |price| read_price(price, context)),
        }
    }

    /// What is said here, and for the rest what is said beside the levels.
    // A limit beside the levels is one more, also of a measure that the level limits itself: Azure NetApp Files has a rate by
    // size in each level, and a most for any volume.
    fn over(self, beside: &Self) -> Self {
        Self {
            size: self.size.or(beside.size),
            limits: self.limits.into_iter().chain(beside.limits.iter().copied()).collect(),
            by_block: self.by_block.into_iter().chain(beside.by_block.iter().cloned()).collect(),
            iops_commitment: self.iops_commitment.or(beside.iops_commitment),
            provisioned: self.provisioned.or_else(|| beside.provisioned.clone()),
            raid: self.raid.or_else(|| beside.raid.clone()),
            vpus_per_gib: self.vpus_per_gib.or(beside.vpus_per_gib),
            price: self.price.or_else(|| beside.price.clone()),
        }
    }

    /// `local` ones have their limits with the machine.
    fn level(&self, table: &TableReader<'_>, name: String, local: bool) -> Option<Level> {
        let Some((size_min_gib, size_max_gib)) = self.size else {
            return table.refuse(
                "name",
                "the size is missing: `size_gib`, or `size_min_gib` and `size_max_gib`".to_owned(),
            );
        };
        // Without any limit the search would take one such volume for every load.
        if self.limits.is_empty() && self.provisioned.is_none() && self.raid.is_none() && !local {
            let message = "a limit is missing: `iops_max`, `mb_per_s_max` and so on, [provisioned] or [raid]";
            return table.refuse("name", message.to_owned());
        }
        Some(Level {
            name,
            size_min_gib,
            size_max_gib,
            limits: self.limits.clone(),
            by_block: self.by_block.clone(),
            iops_commitment: self.iops_commitment.unwrap_or(true),
            provisioned: self.provisioned.clone(),
            raid: self.raid.clone(),
            vpus_per_gib: self.vpus_per_gib.unwrap_or(0.0),
            price: self.price.clone(),
        })
    }
}

fn read_sized(table: &mut TableReader<'_>) -> Vec<SizedLimit> {
    let mut limits: Vec<SizedLimit> = Vec::new();
    for keys in &SIZED {
        let base = table.number(keys.base);
        let per_gib = table.number(keys.per_gib);
        let min = table.number(keys.min);
        let max = table.number(keys.max);
        let burst = table.number(keys.burst).map(|amount| amount * keys.unit);
        // A floor or a burst alone bounds nothing for good.
        if base.is_none() && per_gib.is_none() && max.is_none() {
            if min.is_some() || burst.is_some() {
                let message = format!("`{}` or `{}` must be given as well", keys.max, keys.per_gib);
                table.refuse::<()>(if min.is_some() { keys.min } else { keys.burst }, message);
            }
            continue;
        }
        if limits.iter().any(|other| other.measure == keys.measure) {
            let message = format!("{} is limited in MB/s or in MiB/s, not both", keys.measure);
            table.refuse::<()>(keys.max, message);
            continue;
        }
        let of = |amount: Option<f64>| amount.unwrap_or(0.0) * keys.unit;
        // Without growth the limit is a constant. It then starts at `max`, because a base of zero would make
        // it zero.
        let grows = base.is_some() || per_gib.is_some();
        // No ceiling is a real case: the limit grows with the size, and the size has an end of its own.
        let max = max.map_or(f64::INFINITY, |max| max * keys.unit);
        limits.push(SizedLimit {
            measure: keys.measure,
            base: if grows { of(base) } else { max },
            per_gib: of(per_gib),
            min: of(min),
            max,
            burst,
        });
    }
    limits
}

fn read_provisioned(table: &mut TableReader<'_>) -> Option<Provisioned> {
    let iops_included = table.number("iops_included").unwrap_or(0.0);
    // What is included is always there, so less than that cannot be ordered.
    let iops_min = table.number("iops_min").unwrap_or(iops_included);
    let iops_per_gib_max = table.number("iops_per_gib_max").unwrap_or(f64::INFINITY);
    let iops_max = table.required("iops_max", TableReader::number);
    // Both units are tried, since a vendor uses one of them: the step in which bandwidth is sold is 1 MB/s or
    // 1 MiB/s accordingly, and a price is per such step.
    let decimal = read_provisioned_bandwidth(
        table,
        MB,
        [
            "mb_per_s_included",
            "mb_per_s_min",
            "mb_per_s_per_iops_min",
            "mb_per_s_per_iops_max",
            "mb_per_s_per_iops",
            "mb_per_s_max",
        ],
    );
    let binary = read_provisioned_bandwidth(
        table,
        MIB,
        [
            "mib_per_s_included",
            "mib_per_s_min",
            "mib_per_s_per_iops_min",
            "mib_per_s_per_iops_max",
            "mib_per_s_per_iops",
            "mib_per_s_max",
        ],
    );
    if decimal.is_some() && binary.is_some() {
        return table.refuse("mb_per_s_max", "bandwidth is in MB/s or in MiB/s, not both".to_owned());
    }
    Some(Provisioned {
        iops_included,
        iops_min: iops_min.max(iops_included),
        iops_per_gib_max,
        iops_max: iops_max?,
        bandwidth: decimal.or(binary),
    })
}

fn read_provisioned_bandwidth(
    table: &mut TableReader<'_>,
    unit: f64,
    [included, min, per_iops_min, per_iops_max, per_iops, max]: [&'static str; 6],
) -> Option<ProvisionedBandwidth> {
    let included = table.number(included).map(|amount| amount * unit);
    let least = table.number(min).map(|amount| amount * unit);
    let asked = table.number(per_iops_min).map(|amount| amount * unit);
    let bought = table.number(per_iops_max).map(|amount| amount * unit);
    let followed = table.number(per_iops).map(|amount| amount * unit);
    let most = table.number(max)? * unit;
    if bought.is_some() && followed.is_some() {
        let message = format!(
            "`{per_iops}` is for bandwidth that follows the IOPS, `{per_iops_max}` for bandwidth that is sold"
        );
        return table.refuse(per_iops, message);
    }
    let per_iops_most = bought.or(followed).unwrap_or(f64::INFINITY);
    // More asked for than allowed would leave nothing that can be ordered.
    if asked.is_some_and(|asked| followed.is_some() || asked > per_iops_most) {
        let message =
            format!("`{per_iops_min}` must be at most `{per_iops_max}`, and is for bandwidth that is sold");
        return table.refuse(per_iops_min, message);
    }
    let included = included.unwrap_or(0.0);
    Some(ProvisionedBandwidth {
        included,
        min: least.unwrap_or(0.0).max(included),
        // `per_iops` means that bandwidth follows from the IOPS, `per_iops_max` that it is bought up to that
        // ratio. The arithmetic of the bound is the same, what differs is who pays.
        per_iops_max: per_iops_most,
        per_iops_min: asked.unwrap_or(0.0),
        max: most,
        is_bought: followed.is_none(),
        step: unit,
    })
}

fn read_price(table: &mut TableReader<'_>, context: &Context) -> Option<VolumePrice> {
    let currency = context.price_currency(table);
    // Arrays are paid by what they hold on disk: less where data are reduced, more where nodes keep copies.
    let reduction = table.number("data_reduction").unwrap_or(1.0);
    let copies = table.number("copies").unwrap_or(1.0);
    if reduction < 1.0 || copies < 1.0 {
        return table.refuse("data_reduction", "`data_reduction` and `copies` must be 1 or more".to_owned());
    }
    let on_disk = copies / reduction;
    // An absent price part is zero: vendors charge by different parts, and only those they use are written
    // down.
    let mut amount = |key| table.number(key).unwrap_or(0.0);
    let per_month = amount("per_month");
    let per_gib_month = amount("per_gib_month") * on_disk;
    let per_gib_hour = amount("per_gib_hour") * on_disk;
    let per_vpu_gib_month = amount("per_vpu_gib_month");
    let per_iops_month = amount("per_iops_month");
    let per_iops_hour = amount("per_iops_hour");
    // Inside the program bandwidth is in bytes per second, so prices are per byte per second as well; only
    // one of the two keys is ever used.
    let per_bandwidth_month = amount("per_mb_per_s_month") / MB + amount("per_mib_per_s_month") / MIB;
    let per_bandwidth_hour = amount("per_mb_per_s_hour") / MB + amount("per_mib_per_s_hour") / MIB;
    let above = table.tables("iops_above", |step| {
        Some(PriceStep {
            from: step.required("iops", TableReader::number)?,
            per_iops_month: step.required("per_iops_month", TableReader::number)?,
        })
    });
    let without = table.text("without");
    let source = context.source(table);
    let mut iops_steps = vec![PriceStep { from: 0.0, per_iops_month }];
    iops_steps.extend(above.unwrap_or_default());
    // Tiers are charged slice by slice (as io2's), which needs their beginnings in order and distinct.
    if !iops_steps.is_sorted_by(|a, b| a.from < b.from) {
        return table.refuse("iops_above", "the steps of `iops_above` must rise".to_owned());
    }
    Some(VolumePrice {
        currency: currency?,
        per_month,
        per_gib_month,
        per_gib_hour,
        per_vpu_gib_month,
        iops_steps,
        per_iops_hour,
        per_bandwidth_month,
        per_bandwidth_hour,
        without,
        source: source?,
    })
}
