//! The limits and rules of a vendor, read from the text of a catalog by this file alone, and held against a configuration by arithmetic
//! of its own. Nothing here asks the program's reader of catalogs, its chain of limits, its rules or its fit.

use iotrial_model::demand::{Demand, DemandStream, LatencyClass};
use iotrial_model::load::{Direction, Role};
use iotrial_sizing::catalog::HostCache;
use iotrial_sizing::configuration::{Configuration, Pool};
use toml::{Table, Value};

const MB: f64 = 1e6;
const MIB: f64 = 1_048_576.0;
const KIB: f64 = 1_024.0;
const GIB: f64 = 1_073_741_824.0;
const GBIT: f64 = 1.25e8;

/// A catalog as it is written.
pub(crate) struct Vendor {
    text: Table,
}

/// What a limit counts.
#[derive(Debug, Clone, Copy)]
struct What {
    /// The name in front of `_max`, `_per_gib` and so on.
    key: &'static str,
    bytes: Option<f64>,
    reads: bool,
    writes: bool,
}

const fn what(key: &'static str, bytes: Option<f64>, reads: bool, writes: bool) -> What {
    What { key, bytes, reads, writes }
}

const WHAT: [What; 9] = [
    what("iops", None, true, true),
    what("read_iops", None, true, false),
    what("write_iops", None, false, true),
    what("mb_per_s", Some(MB), true, true),
    what("mib_per_s", Some(MIB), true, true),
    what("read_mb_per_s", Some(MB), true, false),
    what("read_mib_per_s", Some(MIB), true, false),
    what("write_mb_per_s", Some(MB), false, true),
    what("write_mib_per_s", Some(MIB), false, true),
];

fn number(table: &Table, key: &str) -> Option<f64> {
    match table.get(key)? {
        #[expect(clippy::cast_precision_loss, reason = "figures of vendors are far below 2^53")]
        Value::Integer(whole) => Some(*whole as f64),
        Value::Float(number) => Some(*number),
        other => panic!("`{key}` is no number: {other}"),
    }
}

fn text<'t>(table: &'t Table, key: &str) -> Option<&'t str> {
    table.get(key).map(|value| value.as_str().unwrap_or_else(|| panic!("`{key}` is no text")))
}

fn is_true(table: &Table, key: &str) -> bool {
    table.get(key).is_some_and(|value| value.as_bool().expect("true or false"))
}

fn tables<'t>(table: &'t Table, key: &str) -> Vec<&'t Table> {
    let list = table.get(key).map(|value| value.as_array().expect("a list"));
    list.into_iter().flatten().map(|one| one.as_table().expect("a table")).collect()
}

fn below<'t>(table: &'t Table, key: &str) -> Option<&'t Table> {
    table.get(key).map(|value| value.as_table().expect("a table"))
}

fn words<'t>(table: &'t Table, key: &str) -> Option<Vec<&'t str>> {
    let list = table.get(key)?.as_array().expect("a list");
    Some(list.iter().map(|one| one.as_str().expect("a text")).collect())
}

/// Whether a list of names that may be absent has one.
fn holds_for(table: &Table, name: &str) -> bool {
    words(table, "volumes").is_none_or(|names| names.is_empty() || names.contains(&name))
}

/// A pool of a configuration with what the catalog says of it, and the I/O that goes there.
struct Placed<'c> {
    pool: &'c Pool,
    kind: &'c Table,
    level: Option<&'c Table>,
    streams: Vec<&'c DemandStream>,
    roles: Vec<Role>,
    copies: f64,
    count: f64,
    /// Of each volume.
    gib: f64,
}

impl<'c> Placed<'c> {
    fn name(&self) -> &'c str {
        text(self.kind, "name").expect("a kind has a name")
    }

    fn is_local(&self) -> bool {
        is_true(self.kind, "local")
    }

    fn is_attached(&self) -> bool {
        !self.is_local() && !is_true(self.kind, "network_only")
    }

    fn hit(&self) -> f64 {
        self.pool.cache_hit_percent / 100.0
    }

    /// A key of the level, or of the kind where the level does not say it.
    fn either(&self, key: &str) -> Option<&'c Value> {
        self.level.and_then(|level| level.get(key)).or_else(|| self.kind.get(key))
    }

    fn table(&self, key: &str) -> Option<&'c Table> {
        self.either(key).map(|value| value.as_table().expect("a table"))
    }
}

/// How a stream counts at a limit.
struct Count {
    /// Share of reads that count.
    reads: f64,
    /// How often a write counts.
    writes: f64,
    /// Bytes of a unit of I/O.
    unit: Option<f64>,
    /// Bandwidth in whole units, unless sequential.
    in_units: bool,
}

/// What one limit sees of the I/O of a pool, for `factor` times the rates.
fn sum(placed: &Placed<'_>, what: What, count: &Count, factor: f64) -> f64 {
    let mut sum = 0.0;
    for stream in &placed.streams {
        let is_write = stream.direction == Direction::Write;
        if (is_write && !what.writes) || (!is_write && !what.reads) {
            continue;
        }
        let times = if is_write { count.writes } else { count.reads };
        let is_sequential = matches!(stream.role, Some(Role::Scan | Role::Backup));
        let units = |unit: f64| {
            let exact = stream.block_size_bytes / unit;
            if count.in_units && is_sequential { exact } else { (exact - 1e-9).ceil().max(1.0) }
        };
        let one = match (what.bytes, count.unit) {
            (Some(_), Some(unit)) if count.in_units => units(unit) * unit,
            (Some(_), _) => stream.block_size_bytes,
            (None, Some(unit)) => units(unit),
            (None, None) => 1.0,
        };
        sum += stream.iops * factor * times * one;
    }
    sum
}

/// Keys of tables that limit something, or tell how; all others must be known not to.
const VOLUME_KEYS: [&str; 31] = [
    "name",
    "title",
    "latency",
    "local",
    "network_only",
    "over_network",
    "shared_by_machine",
    "main",
    "source",
    "price",
    "pool",
    "attachment",
    "level",
    "size_gib",
    "size_min_gib",
    "size_max_gib",
    "count_max",
    "iops_unit_kib",
    "mb_per_s_in_units",
    "at_block",
    "iops_commitment",
    "provisioned",
    "raid",
    "vpus_per_gib",
    "_base",
    "_per_gib",
    "_min",
    "_max",
    "burst_",
    "note",
    "notes",
];
const MACHINE_KEYS: [&str; 19] = [
    "name",
    "vcpus",
    "ocpus",
    "vcpus_per_ocpu",
    "memory_gib",
    "network",
    "limit",
    "path",
    "host_cache",
    "local_disk",
    "volumes_max",
    "volumes_max_by_attachment",
    "price",
    "gap",
    "source",
    "arm",
    "note",
    "notes",
    "title",
];

impl Vendor {
    /// Reads a catalog. A key that this file does not know is a limit that nobody would check, and stops the test.
    pub(crate) fn read(catalog: &str) -> Self {
        let text: Table = toml::from_str(catalog).expect("valid TOML");
        let check = |table: &Table, known: &[&str]| {
            for key in table.keys() {
                let is_known = |one: &&str| {
                    key == *one
                        || (one.starts_with('_') && key.ends_with(*one))
                        || (one.ends_with('_') && key.starts_with(*one))
                };
                assert!(known.iter().any(is_known), "`{key}` is new: say here what it limits");
            }
        };
        for volume in tables(&text, "volume") {
            check(volume, &VOLUME_KEYS);
            tables(volume, "level").into_iter().for_each(|level| check(level, &VOLUME_KEYS));
        }
        tables(&text, "machine").into_iter().for_each(|machine| check(machine, &MACHINE_KEYS));
        Self { text }
    }

    /// Everything that speaks against a configuration for `factor` times the rates of a demand.
    pub(crate) fn against(&self, configuration: &Configuration, demand: &Demand, factor: f64) -> Vec<String> {
        let machine = tables(&self.text, "machine");
        let machine = machine.into_iter().find(|one| text(one, "name") == Some(&configuration.machine));
        let Some(machine) = machine else { return vec![format!("no machine {}", configuration.machine)] };
        let all: Vec<Placed<'_>> =
            (0..configuration.pools.len()).map(|index| self.placed(configuration, demand, index)).collect();
        let factor = factor * growth(demand.load_growth_percent_per_year, demand.years);
        let mut wrong = Vec::new();
        for placed in &all {
            self.ordered(placed, &mut wrong);
            self.volumes(placed, demand, factor, &mut wrong);
            self.rules(configuration, machine, placed, &mut wrong);
        }
        self.shared(&all, demand, factor, &mut wrong);
        self.machine(configuration, machine, &all, demand, factor, &mut wrong);
        self.places(machine, &all, &mut wrong);
        self.asked(configuration, machine, &all, demand, &mut wrong);
        wrong
    }

    fn placed<'c>(
        &'c self,
        configuration: &'c Configuration,
        demand: &'c Demand,
        index: usize,
    ) -> Placed<'c> {
        let pool = &configuration.pools[index];
        let kinds = tables(&self.text, "volume");
        let kind = kinds
            .into_iter()
            .find(|one| text(one, "name") == Some(&pool.volume))
            .expect("a kind of the catalog");
        let levels = tables(kind, "level");
        let level = levels.into_iter().find(|one| text(one, "name") == Some(&pool.level));
        assert!(level.is_some() || pool.level.is_empty(), "no level {}", pool.level);
        let is_named = |role: Role| configuration.pools.iter().any(|one| one.roles.contains(&role));
        let roles: Vec<Role> = if pool.roles.is_empty() {
            Role::ALL.iter().copied().filter(|role| !is_named(*role)).collect()
        } else {
            pool.roles.clone()
        };
        let goes_here = |stream: &&DemandStream| roles.contains(&stream.role.unwrap_or(Role::Data));
        let copies = if is_true(kind, "local") { 1.0 } else { f64::from(demand.mirror.copies()) };
        #[expect(clippy::cast_precision_loss, reason = "sizes of volumes")]
        Placed {
            pool,
            kind,
            level,
            streams: demand.streams.iter().filter(goes_here).collect(),
            roles,
            copies,
            count: f64::from(pool.count),
            gib: pool.size_gib as f64,
        }
    }

    /// Whether it can be ordered so.
    fn ordered(&self, placed: &Placed<'_>, wrong: &mut Vec<String>) {
        let name = placed.name();
        let of = |key: &str| {
            let level = placed.level.and_then(|level| number(level, key));
            level.or_else(|| number(placed.kind, key))
        };
        // A level that states one size of its own does not have the range of the kind.
        let own_size = placed.level.and_then(|level| number(level, "size_gib"));
        let own_range = placed.level.is_some_and(|level| level.contains_key("size_min_gib"));
        let size = if own_range { None } else { own_size.or_else(|| number(placed.kind, "size_gib")) };
        let (least, most) = match size {
            Some(size) => (size, size),
            None => (of("size_min_gib").expect("a size"), of("size_max_gib").expect("a size")),
        };
        if placed.is_local() {
            return;
        }
        if !(least..=most).contains(&placed.gib) {
            wrong.push(format!("{name}: {} GiB is not from {least} to {most}", placed.gib));
        }
        let Some(provisioned) = placed.table("provisioned") else {
            if placed.pool.iops.is_some() || placed.pool.bandwidth.is_some() {
                wrong.push(format!("{name}: nothing is bought apart from the size"));
            }
            return;
        };
        let included = number(provisioned, "iops_included").unwrap_or(0.0);
        let iops = placed.pool.iops.unwrap_or(f64::NAN);
        let by_size = number(provisioned, "iops_per_gib_max").map_or(f64::INFINITY, |each| each * placed.gib);
        let most = by_size.max(included).min(number(provisioned, "iops_max").expect("iops_max"));
        let least = number(provisioned, "iops_min").unwrap_or(0.0).max(included);
        if iops.fract() != 0.0 || !(least..=most).contains(&iops) {
            wrong.push(format!(
                "{name}: {iops} IOPS is not a whole number from {least} to {most} at {} GiB",
                placed.gib
            ));
        }
        for (prefix, unit) in [("mb", MB), ("mib", MIB)] {
            let of = |key: &str| number(provisioned, &format!("{prefix}_per_s_{key}"));
            let Some(top) = of("max") else { continue };
            let Some(bandwidth) = placed.pool.bandwidth else { continue };
            let included = of("included").unwrap_or(0.0);
            let most =
                of("per_iops_max").map_or(f64::INFINITY, |each| each * iops).max(included).min(top) * unit;
            let by_iops = of("per_iops_min").map_or(0.0, |each| each * iops);
            let least = of("min").unwrap_or(0.0).max(included).max(by_iops).min(top) * unit;
            let steps = bandwidth / unit;
            let is_whole = (steps - steps.round()).abs() < 1e-6 || bandwidth >= most * (1.0 - 1e-9);
            if !is_whole || bandwidth > most * (1.0 + 1e-9) || bandwidth < least * (1.0 - 1e-9) {
                wrong.push(format!("{name}: {bandwidth} B/s is not in whole steps from {least} to {most}"));
            }
            if of("per_iops").is_some() {
                wrong.push(format!("{name}: bandwidth follows the IOPS and is not bought"));
            }
        }
    }

    fn count_at_volume(&self, placed: &Placed<'_>) -> Count {
        Count {
            reads: 1.0 - placed.hit(),
            writes: placed.copies,
            unit: number(placed.kind, "iops_unit_kib").map(|kib| kib * KIB),
            in_units: is_true(placed.kind, "mb_per_s_in_units"),
        }
    }

    /// The limits by size of a level, and of the kind beside it: what, and the most at a size.
    fn sized(&self, placed: &Placed<'_>, gib: f64, burst: bool) -> Vec<(What, f64)> {
        let mut all = Vec::new();
        for table in placed.level.into_iter().chain([placed.kind]) {
            for what in WHAT {
                let of = |end: &str| number(table, &format!("{}{end}", what.key));
                let (base, each, least, most) = (of("_base"), of("_per_gib"), of("_min"), of("_max"));
                if base.is_none() && each.is_none() && most.is_none() {
                    continue;
                }
                let grows = base.is_some() || each.is_some();
                let by_size =
                    if grows { base.unwrap_or(0.0) + each.unwrap_or(0.0) * gib } else { f64::INFINITY };
                let mut amount = by_size.max(least.unwrap_or(0.0)).min(most.unwrap_or(f64::INFINITY));
                let for_a_while = number(table, &format!("burst_{}", what.key));
                if burst {
                    amount = amount.max(for_a_while.unwrap_or(0.0));
                }
                all.push((what, amount * what.bytes.unwrap_or(1.0)));
            }
        }
        all
    }

    fn volumes(&self, placed: &Placed<'_>, demand: &Demand, factor: f64, wrong: &mut Vec<String>) {
        if placed.is_local() {
            return;
        }
        let name = placed.name();
        let count = self.count_at_volume(placed);
        if !is_true(placed.kind, "shared_by_machine") {
            for (what, most) in self.sized(placed, placed.gib, demand.allow_burst) {
                exceeds(
                    wrong,
                    || format!("{name} {}", what.key),
                    most * placed.count,
                    sum(placed, what, &count, factor),
                );
            }
            self.at_block(&[placed], placed.gib, placed.count, factor, wrong);
        }
        if let Some(iops) = placed.pool.iops {
            exceeds(
                wrong,
                || format!("{name} bought IOPS"),
                iops * placed.count,
                sum(placed, WHAT[0], &count, factor),
            );
            let provisioned = placed.table("provisioned").expect("IOPS are bought");
            for (prefix, unit, what) in [("mb", MB, WHAT[3]), ("mib", MIB, WHAT[4])] {
                let of = |key: &str| number(provisioned, &format!("{prefix}_per_s_{key}"));
                let Some(top) = of("max") else { continue };
                let followed = of("per_iops")
                    .map(|each| (each * iops).max(of("included").unwrap_or(0.0)).min(top) * unit);
                let least = of("min").unwrap_or(0.0).max(of("included").unwrap_or(0.0)) * unit;
                let own = followed.or(placed.pool.bandwidth).unwrap_or(least);
                exceeds(
                    wrong,
                    || format!("{name} bought bandwidth"),
                    own * placed.count,
                    sum(placed, what, &count, factor),
                );
            }
        }
        if let Some(raid) = placed.table("raid") {
            let disks = number(raid, "spindles").expect("disks") * placed.count;
            let of = |key: &str| number(raid, key).expect("what a disk does");
            let (cost, twice) = match text(raid, "level") {
                Some("raid10") => (2.0, 2.0),
                Some("raid5") => (4.0, 1.0),
                Some("raid6") => (6.0, 1.0),
                _ => (1.0, 1.0),
            };
            let with = |times: f64| Count { writes: count.writes * times, ..self.count_at_volume(placed) };
            let iops = sum(placed, WHAT[0], &with(cost), factor);
            exceeds(wrong, || format!("disks of {name}"), disks * of("iops_per_spindle"), iops);
            let bytes = sum(placed, WHAT[3], &with(twice), factor);
            exceeds(wrong, || format!("disks of {name}"), disks * of("mb_per_s_per_spindle") * MB, bytes);
        }
        let Some(attachment) = &placed.pool.attachment else {
            if placed.kind.contains_key("attachment") {
                wrong.push(format!("{name} needs an attachment"));
            }
            return;
        };
        let ways = tables(placed.kind, "attachment");
        let way = ways
            .into_iter()
            .find(|one| text(one, "name") == Some(attachment))
            .expect("an attachment of the kind");
        let plain = Count { unit: None, in_units: false, ..self.count_at_volume(placed) };
        for what in WHAT {
            if let Some(most) = number(way, &format!("{}_max", what.key)) {
                let most = most * what.bytes.unwrap_or(1.0) * placed.count;
                exceeds(
                    wrong,
                    || format!("{attachment} {}", what.key),
                    most,
                    sum(placed, what, &plain, factor),
                );
            }
        }
    }

    /// Limits that are stated at a small block size, of `count` times what `gib` do.
    fn at_block(&self, all: &[&Placed<'_>], gib: f64, count: f64, factor: f64, wrong: &mut Vec<String>) {
        let first = all[0];
        let stated = first.level.into_iter().chain([first.kind]).flat_map(|table| tables(table, "at_block"));
        for limit in stated {
            let top = number(limit, "kib").expect("kib") * KIB;
            let above = number(limit, "above_kib").unwrap_or(0.0) * KIB;
            let points: Vec<(f64, f64)> = tables(limit, "size")
                .into_iter()
                .map(|one| {
                    (number(one, "gib").expect("gib"), number(one, "mb_per_s").expect("mb_per_s") * MB)
                })
                .collect();
            let mut before = (0.0, 0.0);
            let mut most = points.last().expect("a size").1;
            for point in points {
                if gib <= point.0 {
                    most = before.1 + (point.1 - before.1) * (gib - before.0) / (point.0 - before.0);
                    break;
                }
                before = point;
            }
            let mut used = 0.0;
            for placed in all {
                for stream in placed.streams.iter().filter(|stream| stream.block_size_bytes > above) {
                    let times =
                        if stream.direction == Direction::Write { placed.copies } else { 1.0 - placed.hit() };
                    used += stream.iops * factor * times * stream.block_size_bytes.min(top);
                }
            }
            exceeds(wrong, || format!("{} at {top} bytes", first.name()), most * count, used);
        }
    }

    /// Kinds whose volumes have their limits together.
    fn shared(&self, all: &[Placed<'_>], demand: &Demand, factor: f64, wrong: &mut Vec<String>) {
        for first in all {
            if !is_true(first.kind, "shared_by_machine") {
                continue;
            }
            let alike: Vec<&Placed<'_>> = all.iter().filter(|one| one.name() == first.name()).collect();
            let gib: f64 = alike.iter().map(|one| one.gib * one.count).sum();
            for (what, most) in self.sized(first, gib, demand.allow_burst) {
                let used = alike.iter().map(|one| sum(one, what, &self.count_at_volume(one), factor)).sum();
                exceeds(wrong, || format!("all {} {}", first.name(), what.key), most, used);
            }
            self.at_block(&alike, gib, 1.0, factor, wrong);
        }
    }

    fn machine(
        &self,
        configuration: &Configuration,
        machine: &Table,
        all: &[Placed<'_>],
        demand: &Demand,
        factor: f64,
        wrong: &mut Vec<String>,
    ) {
        let name = &configuration.machine;
        let ocpus = configuration.ocpus.map_or(1.0, f64::from);
        let network = below(machine, "network");
        let of_network = |key: &str| network.and_then(|network| number(network, key)).map(|gbit| gbit * GBIT);
        let by_core = of_network("gbit_per_s_per_ocpu")
            .map(|each| (each * ocpus).min(of_network("gbit_per_s_max").expect("a most")));
        let both = of_network("gbit_per_s").or(by_core);
        let egress = both.or_else(|| of_network("egress_gbit_per_s"));
        // Without a figure the program takes as much in as out; so does this.
        let ingress = both.or_else(|| of_network("ingress_gbit_per_s")).or(egress);
        let through = |placed: &Placed<'_>| Count {
            reads: 1.0 - placed.hit(),
            writes: placed.copies,
            unit: None,
            in_units: false,
        };
        let limits = tables(machine, "limit");
        let paths = tables(machine, "path");
        for placed in all {
            let is_taken = if placed.is_local() {
                machine.contains_key("local_disk")
            } else if placed.is_attached() {
                let own_paths = limits.is_empty() && !paths.is_empty();
                !machine.contains_key("gap")
                    && (own_paths || limits.iter().any(|limit| holds_for(limit, placed.name())))
            } else {
                network.is_some()
            };
            if !is_taken {
                wrong.push(format!("{name} does not take {}", placed.name()));
            }
        }
        for limit in &limits {
            let of_it = || all.iter().filter(|one| one.is_attached() && holds_for(limit, one.name()));
            for what in WHAT {
                let unit = what.bytes.unwrap_or(1.0);
                let own = number(limit, what.key).map(|most| most * unit);
                let each = number(limit, &format!("{}_per_gbit_per_s", what.key));
                let relative = each.map(|each| each * unit * egress.expect("a network") / GBIT);
                let Some(mut most) = own.into_iter().chain(relative).reduce(f64::min) else { continue };
                if demand.allow_burst {
                    most = most.max(number(limit, &format!("burst_{}", what.key)).unwrap_or(0.0) * unit);
                }
                let used = of_it().map(|one| sum(one, what, &through(one), factor)).sum();
                exceeds(wrong, || format!("{name} {:?} {}", text(limit, "name"), what.key), most, used);
            }
        }
        for path in paths.iter().copied().chain(tables(&self.text, "path")) {
            let of_it = || all.iter().filter(|one| one.is_attached() && holds_for(path, one.name()));
            for what in WHAT {
                let Some(most) = number(path, &format!("{}_max", what.key)) else { continue };
                let most = most * what.bytes.unwrap_or(1.0) * number(path, "count").unwrap_or(1.0);
                let used = of_it().map(|one| sum(one, what, &through(one), factor)).sum();
                exceeds(wrong, || format!("{:?} {}", text(path, "name"), what.key), most, used);
            }
        }
        let disk = below(machine, "local_disk");
        let is_local = |one: &&Placed<'_>| one.is_local();
        if let Some(disk) = disk {
            for what in WHAT {
                let Some(most) = number(disk, &format!("{}_max", what.key)) else { continue };
                let used = all.iter().filter(is_local).map(|one| sum(one, what, &through(one), factor)).sum();
                exceeds(
                    wrong,
                    || format!("disk of {name} {}", what.key),
                    most * what.bytes.unwrap_or(1.0),
                    used,
                );
            }
            for placed in all.iter().filter(is_local) {
                if placed.gib > number(disk, "size_gib").expect("a size") {
                    wrong.push(format!("the disk of {name} is smaller than {} GiB", placed.gib));
                }
            }
        }
        let is_cached = |one: &&Placed<'_>| one.pool.host_cache != HostCache::None;
        if let Some(cache) = below(machine, "host_cache") {
            let with_disk = disk.is_some_and(|disk| is_true(disk, "with_host_cache"));
            let passes = |one: &&Placed<'_>| is_cached(one) || (with_disk && one.is_local());
            for (key, what) in [("iops", WHAT[0]), ("mb_per_s", WHAT[3])] {
                let most = number(cache, key).expect("a limit of the cache") * what.bytes.unwrap_or(1.0);
                // Whether the cache serves it or not.
                let used = all
                    .iter()
                    .filter(passes)
                    .map(|one| sum(one, what, &Count { reads: 1.0, ..through(one) }, factor))
                    .sum();
                exceeds(wrong, || format!("cache of {name} {key}"), most, used);
            }
        } else if all.iter().any(|one| is_cached(&one)) {
            wrong.push(format!("nobody says what the cache of {name} carries"));
        }
        if let (Some(egress), Some(ingress)) = (egress, ingress) {
            let over =
                |one: &&Placed<'_>| is_true(one.kind, "over_network") || is_true(one.kind, "network_only");
            let inwards = all.iter().filter(over).map(|one| sum(one, WHAT[5], &through(one), factor)).sum();
            let stored: f64 =
                all.iter().filter(over).map(|one| sum(one, WHAT[7], &through(one), factor)).sum();
            let log_is_apart = demand.streams.iter().any(|stream| stream.role == Some(Role::Log));
            let ships = |role: Role| {
                if demand.shipped.is_empty() { role == Role::Log } else { demand.shipped.contains(&role) }
            };
            let is_shipped = |stream: &&&DemandStream| {
                stream.direction == Direction::Write
                    && match stream.role {
                        Some(role) => ships(role),
                        None => ships(Role::Data) || (!log_is_apart && ships(Role::Log)),
                    }
            };
            let lasting = all.iter().filter(|one| !one.is_local());
            let streams = lasting.flat_map(|one| one.streams.iter().filter(is_shipped));
            let shipped: f64 =
                streams.map(|stream| stream.iops * stream.block_size_bytes).sum::<f64>() * factor;
            exceeds(wrong, || format!("network into {name}"), ingress, inwards);
            exceeds(
                wrong,
                || format!("network out of {name}"),
                egress,
                stored + f64::from(demand.replicas) * shipped,
            );
        }
    }

    /// How many volumes, and how much of them, a machine takes.
    fn places(&self, machine: &Table, all: &[Placed<'_>], wrong: &mut Vec<String>) {
        let count = |holds: &dyn Fn(&Placed<'_>) -> bool| -> f64 {
            all.iter().filter(|one| holds(one)).map(|one| one.count).sum()
        };
        let mut most = |what: String, most: Option<f64>, count: f64| {
            if most.is_some_and(|most| count > most) {
                wrong.push(format!("{count} volumes of {most:?}: {what}"));
            }
        };
        most("attached".to_owned(), number(machine, "volumes_max"), count(&|one| one.is_attached()));
        most("in the machine".to_owned(), Some(1.0), count(&|one| one.is_local()));
        for placed in all {
            let of_kind = count(&|one| one.name() == placed.name());
            most(placed.name().to_owned(), number(placed.kind, "count_max"), of_kind);
            if let (Some(attachment), Some(counted)) =
                (&placed.pool.attachment, below(machine, "volumes_max_by_attachment"))
            {
                let so = count(&|one| one.pool.attachment.as_ref() == Some(attachment));
                most(attachment.clone(), Some(number(counted, attachment).unwrap_or(0.0)), so);
            }
        }
        for limit in tables(&self.text, "capacity_limit") {
            let gib: f64 =
                all.iter().filter(|one| holds_for(limit, one.name())).map(|one| one.gib * one.count).sum();
            if gib > number(limit, "gib_max").expect("gib_max") {
                wrong.push(format!("{gib} GiB are too much for {:?}", text(limit, "name")));
            }
        }
    }

    fn rules(
        &self,
        configuration: &Configuration,
        machine: &Table,
        placed: &Placed<'_>,
        wrong: &mut Vec<String>,
    ) {
        let ocpus = configuration.ocpus.map(f64::from).or_else(|| number(machine, "ocpus").filter(|_| true));
        for rule in tables(&self.text, "rule") {
            if text(rule, "effect") != Some("forbids") {
                continue;
            }
            let when = below(rule, "when").expect("when");
            for key in when.keys() {
                let known = [
                    "volumes",
                    "levels",
                    "attachments",
                    "machines",
                    "os",
                    "clustered",
                    "arm",
                    "ocpus_below",
                    "volumes_above",
                    "size_above_gib",
                    "host_cache",
                    "roles",
                ];
                assert!(known.contains(&key.as_str()), "`{key}` of a rule is new: say here what it is");
            }
            let lists = |key: &str, word: &str| words(when, key).is_none_or(|list| list.contains(&word));
            let is = |key: &str, value: bool| when.get(key).is_none_or(|one| one.as_bool() == Some(value));
            let has_role = words(when, "roles")
                .is_none_or(|list| placed.roles.iter().any(|role| list.contains(&role.as_str())));
            let begins = words(when, "machines")
                .is_none_or(|list| list.iter().any(|begin| configuration.machine.starts_with(begin)));
            let is_broken = lists("volumes", placed.name())
                && lists("levels", &placed.pool.level)
                && (!when.contains_key("attachments")
                    || placed.pool.attachment.as_ref().is_some_and(|one| lists("attachments", one)))
                && begins
                && text(when, "os").is_none_or(|os| os == configuration.os.as_str())
                && is("clustered", configuration.clustered)
                && is("arm", is_true(machine, "arm"))
                && number(when, "ocpus_below").is_none_or(|below| ocpus.is_some_and(|ocpus| ocpus < below))
                && number(when, "volumes_above").is_none_or(|above| placed.count > above)
                && number(when, "size_above_gib").is_none_or(|above| placed.gib > above)
                && lists("host_cache", placed.pool.host_cache.as_str())
                && has_role;
            if is_broken {
                wrong.push(format!("forbidden: {:?}", text(rule, "message")));
            }
        }
    }

    /// What is asked for besides rates.
    fn asked(
        &self,
        configuration: &Configuration,
        machine: &Table,
        all: &[Placed<'_>],
        demand: &Demand,
        wrong: &mut Vec<String>,
    ) {
        let (vcpus, memory) = match number(machine, "vcpus_per_ocpu") {
            None => {
                (number(machine, "vcpus").expect("vcpus"), number(machine, "memory_gib").expect("memory"))
            }
            Some(each) => {
                let ocpus = f64::from(configuration.ocpus.expect("cores are ordered"));
                let memory = configuration.memory_gib.expect("memory is ordered");
                let range = below(machine, "ocpus").expect("a range");
                let sizes = below(machine, "memory_gib").expect("a range");
                let of = |table: &Table, key: &str| number(table, key).expect("an end of a range");
                let most =
                    of(sizes, "max").min(number(sizes, "per_ocpu_max").unwrap_or(f64::INFINITY) * ocpus);
                if ocpus < of(range, "min")
                    || ocpus > of(range, "max")
                    || memory > most
                    || memory < of(sizes, "min") * ocpus
                {
                    wrong.push(format!("{ocpus} OCPU and {memory} GiB cannot be ordered"));
                }
                (ocpus * each, memory)
            }
        };
        #[expect(clippy::cast_precision_loss, reason = "sizes of memory and volumes")]
        let gib = |bytes: u64| bytes as f64 / GIB;
        if vcpus < f64::from(demand.vcpus_min) || memory < gib(demand.memory_min.get()) * (1.0 - 1e-9) {
            wrong.push(format!("{vcpus} vCPU and {memory} GiB are less than is asked"));
        }
        let grown = growth(demand.growth_percent_per_year, demand.years);
        // Of each pool of the configuration, what the demand has on it; scans lie with the data, and what has no pool with the rest.
        let mut needs = vec![0.0; all.len()];
        let place = |role: Role| all.iter().position(|placed| placed.roles.contains(&role));
        let data = place(Role::Data).expect("data lies somewhere");
        let mut rest = demand.capacity.get();
        for pool in &demand.pools {
            let here = place(pool.roles[0]).expect("a pool of the demand lies somewhere");
            let has_data = pool.roles.contains(&Role::Data);
            let own = if has_data && pool.capacity.get() == 0 {
                std::mem::take(&mut rest)
            } else {
                pool.capacity.get()
            };
            needs[here] += gib(own) * grown;
            let placed = &all[here];
            if pool.durable && placed.is_local() {
                wrong.push(format!("{} is lost with the machine", pool.name()));
            }
            let latency = pool.latency.or(demand.latency);
            wrong.extend(too_slow(placed, latency));
            let is_named = |names: &[String]| {
                names.is_empty()
                    || names.iter().any(|name| *name == placed.pool.volume || *name == placed.pool.level)
            };
            if !is_named(&pool.volumes) {
                wrong.push(format!("{} was not asked for", placed.pool.volume));
            }
        }
        let of_rest = if demand.pools.iter().any(|pool| pool.roles.contains(&Role::Data)) {
            all.iter().position(|placed| placed.pool.roles.is_empty()).unwrap_or(data)
        } else {
            data
        };
        needs[of_rest] += gib(rest) * grown;
        for (placed, need) in all.iter().zip(needs) {
            exceeds(
                wrong,
                || format!("capacity of {}", placed.name()),
                placed.gib * placed.count,
                need * placed.copies,
            );
            if placed.count < placed.copies {
                wrong.push(format!("{} copies on {} volumes", placed.copies, placed.count));
            }
            if placed.is_local() && demand.pools.is_empty() {
                wrong.push("everything is on a disk that is lost with the machine".to_owned());
            }
            if placed.pool.roles.is_empty() {
                wrong.extend(too_slow(placed, demand.latency));
            }
        }
        if configuration.os != demand.os || configuration.mirror != demand.mirror {
            wrong.push("not the operating system or the mirror that was asked for".to_owned());
        }
    }
}

fn too_slow(placed: &Placed<'_>, asked: Option<LatencyClass>) -> Option<String> {
    let classes = ["sub-ms", "single-digit-ms", "hdd"];
    let place = |word: &str| classes.iter().position(|class| *class == word);
    let asked = place(asked?.as_str())?;
    let own = text(placed.kind, "latency").and_then(place);
    own.is_none_or(|own| own > asked).then(|| format!("{} is too slow", placed.name()))
}

fn growth(percent: f64, years: u32) -> f64 {
    (0..years).fold(1.0, |sum, _| sum * (1.0 + percent / 100.0))
}

fn exceeds(wrong: &mut Vec<String>, what: impl Fn() -> String, most: f64, used: f64) {
    // A hundred times the last bits of a sum, and far less than anything that a vendor states.
    if used > most * (1.0 + 1e-7) {
        wrong.push(format!("{}: {used} of {most}", what()));
    }
}
