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
    Provisioned, ProvisionedBandwidth, RaidGroup, Route, SharedPath, SizedLimit, Source, VolumeKind,
    VolumePrice,
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

/// The keys of a limit: what they bound, bytes (or I/Os) for one of them, and their endings.
pub(super) struct LimitKeys {
    pub(super) measure: Measure,
    pub(super) unit: f64,
    /// Of a machine.
    pub(super) plain: &'static str,
    /// The same for each Gbit/s of its network.
    pub(super) per_gbit: &'static str,
    /// For a while.
    pub(super) burst: &'static str,
    /// Of one thing, such as a port, and of a volume by its size.
    pub(super) max: &'static str,
    base: &'static str,
    per_gib: &'static str,
    min: &'static str,
}

// `concat!` needs literals, so the keys are made by a macro instead of being put together at run time; the
// reader wants `&'static str` to name them in its messages.
macro_rules! limit_keys {
    ($($measure:ident $unit:expr, $name:literal;)+) => {
        [$(LimitKeys {
            measure: Measure::$measure,
            unit: $unit,
            plain: $name,
            per_gbit: concat!($name, "_per_gbit_per_s"),
            burst: concat!("burst_", $name),
            max: concat!($name, "_max"),
            base: concat!($name, "_base"),
            per_gib: concat!($name, "_per_gib"),
            min: concat!($name, "_min"),
        }),+]
    };
}

pub(super) const LIMITS: [LimitKeys; 9] = limit_keys! {
    Iops 1.0, "iops";
    ReadIops 1.0, "read_iops";
    WriteIops 1.0, "write_iops";
    // The same measure twice, once for each unit. A table that uses both is refused below.
    Bandwidth MB, "mb_per_s";
    Bandwidth MIB, "mib_per_s";
    ReadBandwidth MB, "read_mb_per_s";
    ReadBandwidth MIB, "read_mib_per_s";
    WriteBandwidth MB, "write_mb_per_s";
    WriteBandwidth MIB, "write_mib_per_s";
};

impl LimitKeys {
    /// Notes that a measure is limited once more, if it is.
    pub(super) fn refuse_both_units(&self, table: &TableReader<'_>, key: &str, is_limited: bool) {
        let message = format!("`{key}`: {} is limited in MB/s or in MiB/s, not both", self.measure);
        table.refuse_if(is_limited, key, &message);
    }
}

/// What every table of a catalog is read with.
pub(super) struct Context {
    /// Of the catalog.
    pub(super) currency: String,
    /// Names of sources.
    pub(super) sources: Vec<String>,
}

impl Context {
    /// The name of a source, which must be one that the catalog defines.
    pub(super) fn source(&self, table: &mut TableReader<'_>) -> String {
        let name = table.required("source", TableReader::text);
        self.check_source(table, "source", name.as_deref());
        name.unwrap_or_default()
    }

    /// Notes a source that the catalog does not define.
    // Every figure needs somebody who says it. Without this check a typo would turn a source into an empty citation.
    pub(super) fn check_source(&self, table: &TableReader<'_>, key: &str, name: Option<&str>) {
        if let Some(name) = name.filter(|name| !self.sources.iter().any(|source| source == name)) {
            let message = format!("[source.{name}] is missing; there are {}", self.sources.join(", "));
            table.refuse::<()>(key, message);
        }
    }

    /// The currency of a price.
    pub(super) fn price_currency(&self, table: &mut TableReader<'_>) -> String {
        if table.has("currency") { table.needed("currency", currency) } else { self.currency.clone() }
    }
}

// A mistake in a table does not end its reading: a default stands in for what is wrong, so that all mistakes of a file are reported at
// once, and a file with mistakes is no catalog.
pub(super) fn read(text: &str) -> Result<Catalog, Mistakes> {
    read_toml(text, |top| {
        top.required("format", |top, key| top.word(key, &[(CATALOG_FORMAT, ())]));
        let provider = top.needed("provider", read_provider);
        let currency = top.needed("currency", currency);
        let hours_per_month = top.required("hours_per_month", TableReader::number);
        // 744 hours are 31 days, 730 a twelfth of a year; both are in use. Less than 600 is not a month, and
        // would make hourly prices look cheap.
        top.refuse_if(
            hours_per_month.is_some_and(|hours| !(600.0..=744.0).contains(&hours)),
            "hours_per_month",
            "`hours_per_month` must be from 600 to 744",
        );
        // Sources are read first, because every table after them must name one. Volumes come before
        // paths, machines and rules, which name volumes.
        let sources = top.needed("source", |top, key| top.named_tables(key, read_source));
        let context = Context {
            currency: currency.clone(),
            sources: sources.iter().map(|(name, _)| name.clone()).collect(),
        };
        let volumes =
            top.needed("volume", |top, key| top.tables(key, |table| Some(read_volume(table, &context))));
        let machines = top.needed("machine", |top, key| {
            top.tables(key, |table| Some(read_machine(table, &context, &volumes)))
        });
        refuse_twice(top, "volume", &volumes, |kind| &kind.name);
        refuse_twice(top, "machine", &machines, |machine| &machine.name);
        Some(Catalog {
            title: top.text("title").unwrap_or_else(|| provider.clone()),
            provider,
            of_file: None,
            region: top.text("region"),
            currency,
            hours_per_month: hours_per_month.unwrap_or_default(),
            sources: sources.into_iter().collect(),
            exchange: top.list("exchange", |table| read_exchange(table, &context)),
            licences: top.list("licence", |table| read_licence(table, &context)),
            paid: read_paid(top, &context, &machines),
            paths: top.list("path", |table| {
                let path = read_path(table, &volumes);
                // A path of the catalog needs a source of its own; one of a machine has the machine's.
                SharedPath { source: Some(context.source(table)), ..path }
            }),
            capacity_limits: top
                .list("capacity_limit", |table| read_capacity_limit(table, &context, &volumes)),
            rules: top.list("rule", |table| read_rule(table, &context, &volumes)),
            gaps: top.list("gap", |table| Gap {
                text: table.needed("text", TableReader::text),
                main_disk: table.text("main_disk"),
                source: context.source(table),
            }),
            volumes,
            machines,
        })
    })
}

fn read_provider(top: &mut TableReader<'_>, key: &'static str) -> Option<String> {
    let name = top.text(key)?;
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    // The name is the value of `--provider`, so it is kept to characters that no shell interprets.
    let is_wrong = name.is_empty() || name.len() > 32 || !name.chars().all(fits);
    top.refuse_if(is_wrong, key, "`provider` must be up to 32 letters a to z, digits and `-`");
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
    let text = table.needed("text", TableReader::text);
    let as_of = table.required("as_of", TableReader::text)?;
    let is_day = is_day(&as_of);
    // «undated» has to be written out: a missing date is a statement about the source and not an oversight.
    table.refuse_if(
        !is_day && as_of != "undated",
        "as_of",
        &format!("`as_of` must be a day such as \"2026-01-05\", or \"undated\", not \"{as_of}\""),
    );
    Some(Source { text, as_of: is_day.then_some(as_of) })
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

fn read_exchange(table: &mut TableReader<'_>, context: &Context) -> ExchangeRate {
    let per_unit = table.required("per_unit", TableReader::number);
    // It is also divided by, when converting the other way.
    table.refuse_if(per_unit == Some(0.0), "per_unit", "`per_unit` must be more than zero");
    ExchangeRate {
        to: table.needed("to", currency),
        per_unit: per_unit.unwrap_or_default(),
        source: context.source(table),
    }
}

fn read_licence(table: &mut TableReader<'_>, context: &Context) -> Licence {
    let names: Vec<_> = Os::ALL.iter().map(|os| (os.as_str(), *os)).collect();
    Licence {
        os: table.needed_word("os", &names),
        per_ocpu_hour: table.number("per_ocpu_hour").unwrap_or_default(),
        per_vcpu_hour: table.number("per_vcpu_hour").unwrap_or_default(),
        source: context.source(table),
    }
}

fn read_volume(table: &mut TableReader<'_>, context: &Context) -> VolumeKind {
    let name = table.needed("name", TableReader::name);
    let [over_network, network_only, local] =
        ["over_network", "network_only", "local"].map(|key| table.boolean(key).unwrap_or_default());
    table.refuse_if(
        local && (over_network || network_only),
        "local",
        "a volume inside the machine does not use the network",
    );
    // `unknown` may be said, so that a catalog can tell «looked for and not found» from «forgotten».
    let promised = LatencyClass::ALL.iter().map(|class| (class.as_str(), Some(*class)));
    let classes: Vec<_> = promised.chain([(UNKNOWN_LATENCY, None)]).collect();
    let has_credits = table.boolean("mb_per_s_in_units").unwrap_or_default();
    table.refuse_if(
        has_credits && !table.has("iops_unit_kib"),
        "mb_per_s_in_units",
        "`iops_unit_kib` is missing: it defines the unit",
    );
    let levels = read_levels(table, context, local);
    refuse_twice(table, "level", &levels, |level| &level.name);
    VolumeKind {
        title: table.text("title").unwrap_or_else(|| name.clone()),
        name,
        // NFS passes the network anyway, so `network_only` decides whether or not `over_network` stands with it.
        route: match (over_network, network_only) {
            _ if local => Route::Local,
            (_, true) => Route::Network,
            (true, false) => Route::VolumesOverNetwork,
            (false, false) => Route::Volumes,
        },
        latency: table.word("latency", &classes).flatten(),
        count_max: table.count("count_max", 1..=1 << 16),
        // IOPS units are stated in KiB even by vendors that state bandwidth in MB/s (256 KiB on Azure disks).
        iops_unit: table.number("iops_unit_kib").map(|kib| kib * 1024.0),
        has_credits,
        is_main: table.boolean("main").unwrap_or_default(),
        pool: table.table("pool", |pool| Some(read_pool(pool, context))),
        shared_by_machine: table.boolean("shared_by_machine").unwrap_or_default(),
        attachments: table.list("attachment", |table| read_attachment(table, context)),
        levels,
        source: context.source(table),
    }
}

/// The levels of a kind; a kind that has none has one without a name.
fn read_levels(table: &mut TableReader<'_>, context: &Context, local: bool) -> Vec<Level> {
    // Limits beside the levels hold for each of them; all else does where a level does not say otherwise.
    let beside = LevelParts::read(table, context);
    let levels = table.tables("level", |table| {
        let name = table.needed("name", TableReader::name);
        let own = LevelParts::read(table, context);
        Some(own.over(&beside).level(table, name, local))
    });
    match levels {
        Some(levels) => levels,
        // `[[volume.level]]` was there but wrong: its mistakes have been reported. Making a level without a
        // name of it would add misleading ones.
        None if table.has("level") => Vec::new(),
        None => vec![beside.level(table, String::new(), local)],
    }
}

/// Notes the first name that two of the tables have.
pub(super) fn refuse_twice<T>(table: &TableReader<'_>, key: &str, all: &[T], name: fn(&T) -> &String) {
    // Quadratic, but a catalog has a few hundred names, and it finds the first duplicate in the order of the
    // file. One without a name has been refused for that.
    let is_second = |(index, one): &(usize, &T)| {
        !name(one).is_empty() && all[..*index].iter().any(|other| name(other) == name(one))
    };
    if let Some((_, twice)) = all.iter().enumerate().find(is_second) {
        table.refuse::<()>(key, format!("two of the {key}s are named `{}`", name(twice)));
    }
}

fn read_attachment(table: &mut TableReader<'_>, context: &Context) -> Attachment {
    Attachment {
        name: table.needed("name", TableReader::name),
        limits: read_plain(table),
        source: context.source(table),
    }
}

/// The limits of one thing.
pub(super) fn read_plain(table: &mut TableReader<'_>) -> Vec<(Measure, f64)> {
    let mut limits: Vec<(Measure, f64)> = Vec::new();
    for keys in &LIMITS {
        if let Some(amount) = table.number(keys.max) {
            let is_limited = limits.iter().any(|(other, _)| *other == keys.measure);
            keys.refuse_both_units(table, keys.max, is_limited);
            limits.push((keys.measure, amount * keys.unit));
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
        let sizes =
            ["size_gib", "size_min_gib", "size_max_gib"].map(|key| table.integer(key, 1..=LARGEST_GIB));
        let size = match sizes {
            [Some(size), None, None] => Some((size, size)),
            [None, Some(min), Some(max)] if min <= max => Some((min, max)),
            [None, None, None] => None,
            _ => table.refuse(
                "size_min_gib",
                "give a size as `size_gib`, or as `size_min_gib` and a larger `size_max_gib`".to_owned(),
            ),
        };
        Self {
            size,
            limits: read_sized(table),
            by_block: table.list("at_block", |limit| read_block_limit(limit, context)),
            iops_commitment: table.boolean("iops_commitment"),
            provisioned: table.table("provisioned", |table| Some(read_provisioned(table))),
            raid: table.table("raid", |table| Some(read_raid(table))),
            vpus_per_gib: table.number("vpus_per_gib"),
            price: table.table("price", |price| Some(read_price(price, context))),
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
    fn level(&self, table: &TableReader<'_>, name: String, local: bool) -> Level {
        table.refuse_if(
            self.size.is_none(),
            "name",
            "the size is missing: `size_gib`, or `size_min_gib` and `size_max_gib`",
        );
        // Without any limit the search would take one such volume for every load.
        table.refuse_if(
            self.limits.is_empty() && self.provisioned.is_none() && self.raid.is_none() && !local,
            "name",
            "a limit is missing: `iops_max`, `mb_per_s_max` and so on, [provisioned] or [raid]",
        );
        let (size_min_gib, size_max_gib) = self.size.unwrap_or_default();
        Level {
            name,
            size_min_gib,
            size_max_gib,
            limits: self.limits.clone(),
            by_block: self.by_block.clone(),
            iops_commitment: self.iops_commitment.unwrap_or(true),
            provisioned: self.provisioned.clone(),
            raid: self.raid.clone(),
            vpus_per_gib: self.vpus_per_gib.unwrap_or_default(),
            price: self.price.clone(),
        }
    }
}

fn read_sized(table: &mut TableReader<'_>) -> Vec<SizedLimit> {
    let mut limits: Vec<SizedLimit> = Vec::new();
    for keys in &LIMITS {
        let [base, per_gib, min, max, burst] = [keys.base, keys.per_gib, keys.min, keys.max, keys.burst]
            .map(|key| table.number(key).map(|amount| amount * keys.unit));
        // A floor or a burst alone bounds nothing for good.
        if base.is_none() && per_gib.is_none() && max.is_none() {
            let message = format!("`{}` or `{}` must be given as well", keys.max, keys.per_gib);
            let alone = if min.is_some() { keys.min } else { keys.burst };
            table.refuse_if(min.is_some() || burst.is_some(), alone, &message);
            continue;
        }
        let is_limited = limits.iter().any(|other| other.measure == keys.measure);
        keys.refuse_both_units(table, keys.max, is_limited);
        // Without growth the limit is a constant. It then starts at `max`, because a base of zero would make
        // it zero.
        let grows = base.is_some() || per_gib.is_some();
        // No ceiling is a real case: the limit grows with the size, and the size has an end of its own.
        let max = max.unwrap_or(f64::INFINITY);
        limits.push(SizedLimit {
            measure: keys.measure,
            base: if grows { base.unwrap_or_default() } else { max },
            per_gib: per_gib.unwrap_or_default(),
            min: min.unwrap_or_default(),
            max,
            burst,
        });
    }
    limits
}

fn read_provisioned(table: &mut TableReader<'_>) -> Provisioned {
    let iops_included = table.number("iops_included").unwrap_or_default();
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
    table.refuse_if(
        decimal.is_some() && binary.is_some(),
        "mb_per_s_max",
        "bandwidth is in MB/s or in MiB/s, not both",
    );
    Provisioned {
        iops_included,
        // What is included is always there, so less than that cannot be ordered.
        iops_min: table.number("iops_min").unwrap_or_default().max(iops_included),
        iops_per_gib_max: table.number("iops_per_gib_max").unwrap_or(f64::INFINITY),
        iops_max: table.needed("iops_max", TableReader::number),
        bandwidth: decimal.or(binary),
    }
}

fn read_provisioned_bandwidth(
    table: &mut TableReader<'_>,
    unit: f64,
    keys: [&'static str; 6],
) -> Option<ProvisionedBandwidth> {
    let [included, least, asked, bought, followed, most] =
        keys.map(|key| table.number(key).map(|amount| amount * unit));
    let [_, _, per_iops_min, per_iops_max, per_iops, _] = keys;
    let max = most?;
    let both = format!(
        "`{per_iops}` is for bandwidth that follows the IOPS, `{per_iops_max}` for bandwidth that is sold"
    );
    table.refuse_if(bought.is_some() && followed.is_some(), per_iops, &both);
    let per_iops_most = bought.or(followed).unwrap_or(f64::INFINITY);
    // More asked for than allowed would leave nothing that can be ordered.
    let is_too_much = asked.is_some_and(|asked| followed.is_some() || asked > per_iops_most);
    let too_much =
        format!("`{per_iops_min}` must be at most `{per_iops_max}`, and is for bandwidth that is sold");
    table.refuse_if(is_too_much, per_iops_min, &too_much);
    let included = included.unwrap_or_default();
    Some(ProvisionedBandwidth {
        included,
        min: least.unwrap_or_default().max(included),
        // `per_iops` means that bandwidth follows from the IOPS, `per_iops_max` that it is bought up to that
        // ratio. The arithmetic of the bound is the same, what differs is who pays.
        per_iops_max: per_iops_most,
        per_iops_min: asked.unwrap_or_default(),
        max,
        is_bought: followed.is_none(),
        step: unit,
    })
}

fn read_price(table: &mut TableReader<'_>, context: &Context) -> VolumePrice {
    // Arrays are paid by what they hold on disk: less where data are reduced, more where nodes keep copies.
    let [reduction, copies] = ["data_reduction", "copies"].map(|key| table.number(key).unwrap_or(1.0));
    table.refuse_if(
        reduction < 1.0 || copies < 1.0,
        "data_reduction",
        "`data_reduction` and `copies` must be 1 or more",
    );
    let on_disk = copies / reduction;
    // An absent price part is zero: vendors charge by different parts, and only those they use are written
    // down.
    let mut amount = |key| table.number(key).unwrap_or_default();
    let mut iops_steps = vec![PriceStep { from: 0.0, per_iops_month: amount("per_iops_month") }];
    let price = VolumePrice {
        per_month: amount("per_month"),
        per_gib_month: amount("per_gib_month") * on_disk,
        per_gib_hour: amount("per_gib_hour") * on_disk,
        per_vpu_gib_month: amount("per_vpu_gib_month"),
        per_iops_hour: amount("per_iops_hour"),
        // Inside the program bandwidth is in bytes per second, so prices are per byte per second as well; only
        // one of the two keys is ever used.
        per_bandwidth_month: amount("per_mb_per_s_month") / MB + amount("per_mib_per_s_month") / MIB,
        per_bandwidth_hour: amount("per_mb_per_s_hour") / MB + amount("per_mib_per_s_hour") / MIB,
        iops_steps: Vec::new(),
        currency: context.price_currency(table),
        without: table.text("without"),
        source: context.source(table),
    };
    let above = table.tables("iops_above", |step| {
        let from = step.required("iops", TableReader::number);
        let per_iops_month = step.required("per_iops_month", TableReader::number);
        // One with a mistake is left out, so that it is not compared with its neighbours.
        Some(PriceStep { from: from?, per_iops_month: per_iops_month? })
    });
    iops_steps.extend(above.unwrap_or_default());
    // Tiers are charged slice by slice (as io2's), which needs their beginnings in order and distinct.
    table.refuse_if(
        !iops_steps.is_sorted_by(|a, b| a.from < b.from),
        "iops_above",
        "the steps of `iops_above` must rise",
    );
    VolumePrice { iops_steps, ..price }
}
