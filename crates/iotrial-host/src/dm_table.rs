//! What a mapping of the device mapper is made of, as `dmsetup table` prints it.

/// A mapping, target by target.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct DmTable {
    pub(crate) targets: Vec<DmTarget>,
}

/// A range of a mapping.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DmTarget {
    /// `linear`, `striped`, `multipath`, `crypt`, `thin`, ….
    pub(crate) kind: String,
    /// What follows, with blanks between.
    pub(crate) arguments: String,
}

impl DmTable {
    /// Reads lines such as `0 2097152 striped 2 128 8:16 2048 8:32 2048`; those that make no sense are passed over.
    pub(crate) fn parse(text: &str) -> Self {
        let targets = text.lines().filter_map(|line| {
            let mut fields = line.trim().splitn(4, ' ');
            let (start, length) = (fields.next()?, fields.next()?);
            start.parse::<u64>().ok().zip(length.parse::<u64>().ok())?;
            let kind = fields.next()?.to_owned();
            Some(DmTarget { kind, arguments: fields.next().unwrap_or_default().trim().to_owned() })
        });
        Self { targets: targets.collect() }
    }

    /// The table of one mapping among those that `dmsetup table` prints of all: `vg-lv: 0 2097152 linear 8:16 2048`.
    pub(crate) fn of_all(text: &str, name: &str) -> Option<Self> {
        let lines: Vec<&str> =
            text.lines().filter_map(|line| line.strip_prefix(name)?.strip_prefix(": ")).collect();
        (!lines.is_empty()).then(|| Self::parse(&lines.join("\n")))
    }

    /// The kinds of target, each once.
    pub(crate) fn kinds(&self) -> Vec<&str> {
        let mut kinds: Vec<&str> = self.targets.iter().map(|target| target.kind.as_str()).collect();
        kinds.sort_unstable();
        kinds.dedup();
        kinds
    }

    /// The fewest stripes of any range, with the size of their unit in bytes; a linear range is one stripe and has no unit.
    pub(crate) fn stripes(&self) -> Option<(i64, Option<i64>)> {
        let of_one = |target: &DmTarget| match target.kind.as_str() {
            "linear" => Some((1, None)),
            "striped" => {
                let mut fields = target.arguments.split(' ');
                let count = fields.next()?.parse().ok()?;
                let sectors: i64 = fields.next()?.parse().ok()?;
                Some((count, sectors.checked_mul(512)))
            }
            _ => None,
        };
        self.targets
            .iter()
            .map(of_one)
            .collect::<Option<Vec<_>>>()?
            .into_iter()
            .min_by_key(|(count, _)| *count)
    }

    /// What a multipath map does.
    pub(crate) fn multipath(&self) -> Option<Multipath> {
        let target = self.targets.iter().find(|target| target.kind == "multipath")?;
        Multipath::parse(&target.arguments)
    }
}

/// The table of a multipath target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Multipath {
    /// Whether I/Os wait when there is no path left.
    pub(crate) queues_without_path: bool,
    /// Groups of paths, of which one is used at a time.
    pub(crate) groups: i64,
    /// How the path of an I/O is chosen within a group: that of the first.
    pub(crate) selector: String,
}

impl Multipath {
    /// `1 queue_if_no_path 1 alua 2 1 service-time 0 2 1 8:16 1 …`: features and hardware handler, each with its count, then the
    /// number of groups, the next group, and the groups (Documentation/admin-guide/device-mapper, multipath-tools).
    fn parse(arguments: &str) -> Option<Self> {
        let mut fields = arguments.split_whitespace();
        let mut counted = || -> Option<Vec<&str>> {
            let count: usize = fields.next()?.parse().ok()?;
            // No real map has more features than this; a larger number is no count.
            (count <= 64).then(|| fields.by_ref().take(count).collect())
        };
        let features = counted()?;
        let _handler = counted()?;
        let groups = fields.next()?.parse().ok()?;
        let _next = fields.next()?;
        Some(Self {
            queues_without_path: features.contains(&"queue_if_no_path"),
            groups,
            selector: fields.next()?.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stripes_are_those_of_the_range_with_the_fewest() {
        let striped = "0 4194304 striped 2 128 8:16 2048 8:32 2048";
        assert_eq!(DmTable::parse(striped).stripes(), Some((2, Some(65536))));
        let extended = format!("{striped}\n4194304 1024 linear 8:48 2048");
        let table = DmTable::parse(&extended);
        assert_eq!((table.stripes(), table.kinds()), (Some((1, None)), vec!["linear", "striped"]));
        assert_eq!(DmTable::parse("0 1 thin 253:3 1").stripes(), None);
        assert_eq!(DmTable::parse("").stripes(), None);
    }

    #[test]
    fn one_mapping_is_found_among_all_and_a_name_that_begins_alike_is_not() {
        let all = "vg-data: 0 8 linear 8:16 0\nvg-data2: 0 8 striped 2 8 8:16 0 8:32 0\nvg-data: 8 8 linear 8:32 0\n";
        assert_eq!(DmTable::of_all(all, "vg-data").unwrap().targets.len(), 2);
        assert_eq!(DmTable::of_all(all, "vg-data2").unwrap().kinds(), ["striped"]);
        assert_eq!(DmTable::of_all(all, "vg"), None);
    }

    #[test]
    fn a_multipath_table_tells_groups_selector_and_what_happens_without_a_path() {
        let line = "0 209715200 multipath 1 queue_if_no_path 1 alua 2 1 service-time 0 2 2 8:16 1 1 8:32 1 1 \
                    service-time 0 2 2 8:48 1 1 8:64 1 1";
        let map = DmTable::parse(line).multipath().unwrap();
        let expected = Multipath { queues_without_path: true, groups: 2, selector: "service-time".into() };
        assert_eq!(map, expected);
        let plain = DmTable::parse("0 8 multipath 0 0 1 1 round-robin 0 1 1 8:16 1000").multipath().unwrap();
        assert_eq!(
            (plain.queues_without_path, plain.groups, plain.selector.as_str()),
            (false, 1, "round-robin")
        );
        for garbage in ["", "0", "99999999999999999999 a", "1000 a b", "0 0 x 1 y"] {
            assert_eq!(DmTable::parse(&format!("0 8 multipath {garbage}")).multipath(), None, "{garbage}");
        }
    }
}
