//! Thresholds: bands of latency, and what each is called.
//!
//! They are data. A set is a TOML file (`docs/thresholds.md`); some are built in, and the user can bring
//! others. Bands are half open: a value on an edge falls into the worse one.

use iotrial_model::content::{digest_of_toml, falsely_named, shown_name};
use iotrial_model::figure::Figure;
use iotrial_model::load::Role;
use iotrial_model::stream::Stream;
use iotrial_model::toml_reader::{Mistakes, TableReader, nearest, read_toml};
pub use iotrial_model::verdict::{Category, Meaning};

/// The value of `format` in a file of thresholds.
pub const THRESHOLDS_FORMAT: &str = "iotrial.thresholds/1";

/// Where the categories of one figure begin and end.
#[derive(Debug, Clone, PartialEq)]
pub struct Bands {
    /// Category and the latency below which it applies, in µs; both increase. Above the last edge lies
    /// the next worse category.
    edges: Vec<(Category, f64)>,
    /// Who says so.
    source: String,
}

impl Bands {
    /// The category of a latency in µs; one on an edge falls into the worse category.
    pub fn category(&self, latency_us: f64) -> Category {
        let beyond = || self.edges.last().map_or(Category::Unsustainable, |(last, _)| last.next_worse());
        self.edges
            .iter()
            .find(|(_, below_us)| latency_us < *below_us)
            .map_or_else(beyond, |(category, _)| *category)
    }

    /// Whether every latency falls into the same category by both, whoever says so.
    pub(crate) fn judges_like(&self, other: &Self) -> bool {
        self.edges == other.edges
    }

    /// From here on a latency is no longer acceptable.
    pub fn limit_us(&self) -> f64 {
        let acceptable = self.edges.iter().find(|(category, _)| *category == Category::Acceptable);
        acceptable.expect("bands are made with an edge for acceptable").1
    }

    /// Who says so.
    pub fn source(&self) -> &str {
        &self.source
    }
}

/// Bands by role, stream and figure; figures are those of [`Figure::JUDGED`].
#[derive(Debug, Clone, PartialEq)]
pub struct ThresholdSet {
    /// The short name that the command line takes. Of a set of a record that has the name of a built-in one and other content, one that
    /// says so.
    pub name: String,
    /// One line for lists and headings.
    pub title: String,
    /// The digest of what it says ([`iotrial_model::content`]).
    pub sha256: String,
    bands: Vec<(Role, Stream, Figure, Bands)>,
    /// Of the categories whose meaning the source tells.
    meanings: Vec<(Category, Meaning)>,
    /// The file that said all this, word for word; it becomes part of the record.
    pub text: String,
}

/// No set of that name is built in.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no built-in threshold set `{name}`; the built-in sets are {}", builtin_names().collect::<Vec<_>>().join(", "))]
pub struct UnknownThresholdSet {
    /// What was asked for.
    pub name: String,
    /// The name that was probably meant.
    pub nearest: Option<&'static str>,
}

const BUILTIN: &[(&str, &str)] = &[
    ("flash", include_str!("../thresholds/flash.toml")),
    ("oci-sqlserver", include_str!("../thresholds/oci-sqlserver.toml")),
    ("sqlserver-whitepaper", include_str!("../thresholds/sqlserver-whitepaper.toml")),
    ("etcd", include_str!("../thresholds/etcd.toml")),
    ("kafka", include_str!("../thresholds/kafka.toml")),
];

/// The names of the sets that come with iotrial, in the order in which lists show them.
pub fn builtin_names() -> impl Iterator<Item = &'static str> {
    BUILTIN.iter().map(|(name, _)| *name)
}

impl ThresholdSet {
    /// A set that comes with iotrial.
    ///
    /// # Errors
    ///
    /// When there is none of that name, with the name that was probably meant.
    pub fn builtin(name: &str) -> Result<Self, UnknownThresholdSet> {
        let (_, text) = BUILTIN.iter().find(|(one, _)| *one == name).ok_or_else(|| UnknownThresholdSet {
            name: name.to_owned(),
            nearest: builtin_names()
                .find(|known| !name.is_empty() && known.starts_with(name))
                .or_else(|| nearest(name, builtin_names())),
        })?;
        Ok(Self::parse(text).expect("a test holds that every built-in set parses"))
    }

    /// Reads a set from its TOML text.
    ///
    /// # Errors
    ///
    /// Every mistake with line and column.
    pub fn parse(text: &str) -> Result<Self, Mistakes> {
        read_toml(text, |top| {
            let format = top.required("format", |t, key| t.word(key, &[(THRESHOLDS_FORMAT, ())]));
            let name = top.required("name", TableReader::text);
            let title = top.required("title", TableReader::text);
            let meanings = top.table("meaning", read_meanings).unwrap_or_default();
            let mut bands: Vec<(Role, Stream, Figure, Bands)> = Vec::new();
            top.required("bands", |t, key| {
                t.tables(key, |table| {
                    let more = read_bands(table)?;
                    let twice = more.iter().find(|(role, stream, figure, _)| {
                        bands.iter().any(|(r, s, f, _)| (r, s, f) == (role, stream, figure))
                    });
                    if let Some((role, stream, figure, _)) = twice {
                        let message = format!("{role} {stream} {figure} already has bands");
                        return table.refuse(figure.short_key(), message);
                    }
                    bands.extend(more);
                    Some(())
                })
            });
            format?;
            let sha256 = digest_of_toml(text).unwrap_or_default();
            Some(Self { name: name?, title: title?, sha256, bands, meanings, text: text.to_owned() })
        })
    }

    /// Reads the set that a record carries. One that has the name of a built-in set and is not the one of this version is called so: it may
    /// be that of another version, or somebody's own.
    ///
    /// # Errors
    ///
    /// Every mistake with line and column.
    pub fn of_record(text: &str) -> Result<Self, Mistakes> {
        let set = Self::parse(text)?;
        let name = shown_name(&set.name, set.falsely_named_as().is_some()).into_owned();
        Ok(Self { name, ..set })
    }

    /// The name of the built-in set that it claims to be and is not.
    pub fn falsely_named_as(&self) -> Option<&'static str> {
        falsely_named(&self.name, &self.text, BUILTIN.iter().copied())
    }

    /// The bands of one figure; `None` where the set does not judge it.
    pub fn bands(&self, role: Role, stream: Stream, figure: Figure) -> Option<&Bands> {
        let mut all = self.bands.iter();
        all.find(|(r, s, f, _)| (*r, *s, *f) == (role, stream, figure)).map(|(.., bands)| bands)
    }

    /// What the category means for a database; `None` where the set does not say.
    pub fn meaning(&self, category: Category) -> Option<&Meaning> {
        self.meanings.iter().find(|(one, _)| *one == category).map(|(_, meaning)| meaning)
    }

    /// Whether the set judges anything of the role.
    pub(crate) fn judges_role(&self, role: Role) -> bool {
        self.bands.iter().any(|(one, ..)| *one == role)
    }

    /// Whether the set judges the figure of anything.
    pub(crate) fn judges_figure(&self, figure: Figure) -> bool {
        self.bands.iter().any(|(_, _, one, _)| *one == figure)
    }
}

/// The `[meaning]` table: a key for each category that has one.
fn read_meanings(table: &mut TableReader<'_>) -> Option<Vec<(Category, Meaning)>> {
    let of = |category: Category| {
        let meaning = table.table(category.as_str(), |one| {
            let impact = one.required("impact", TableReader::text);
            let suitable_for = one.required("suitable_for", TableReader::text);
            Some(Meaning { impact: impact?, suitable_for: suitable_for? })
        });
        meaning.map(|meaning| (category, meaning))
    };
    Some(Category::ALL.into_iter().filter_map(of).collect())
}

/// One `[[bands]]` table, for every role and stream that it names.
fn read_bands(table: &mut TableReader<'_>) -> Option<Vec<(Role, Stream, Figure, Bands)>> {
    let role_words: Vec<(&str, Role)> = Role::ALL.iter().map(|role| (role.as_str(), *role)).collect();
    let stream_words = Stream::OF_RUNS.map(|stream| (stream.as_str(), stream));
    let roles = table.required("roles", |t, key| t.words(key, &role_words));
    let streams = table.words("streams", &stream_words).unwrap_or_else(|| Stream::OF_RUNS.to_vec());
    let source = table.required("source", TableReader::text);
    let figures = Figure::JUDGED.map(|figure| (figure, table.table(figure.short_key(), read_edges)));
    // Any of the three will do: some published limits are of p99 alone, and a mean beside it would be made up.
    if !Figure::JUDGED.into_iter().any(|figure| table.has(figure.short_key())) {
        return table.refuse("mean", "bands need `mean`, `p99` or `p999`".to_owned());
    }
    let (roles, source) = (roles?, source?);
    let mut all = Vec::new();
    for role in roles {
        for stream in &streams {
            for (figure, edges) in &figures {
                if let Some(edges) = edges {
                    let bands = Bands { edges: edges.clone(), source: source.clone() };
                    all.push((role, *stream, *figure, bands));
                }
            }
        }
    }
    Some(all)
}

fn read_edges(table: &mut TableReader<'_>) -> Option<Vec<(Category, f64)>> {
    const KEYS: [(&str, Category); 5] = [
        ("excellent_below", Category::Excellent),
        ("good_below", Category::Good),
        ("acceptable_below", Category::Acceptable),
        ("poor_below", Category::Poor),
        ("critical_below", Category::Critical),
    ];
    // Categories may be left out, as many sources have three or four words. The edge of «acceptable» may not: it is what a
    // verdict is decided by.
    let mut edges: Vec<(Category, f64)> = Vec::new();
    let mut last = None;
    for (key, category) in KEYS {
        let below = if category == Category::Acceptable {
            table.required(key, TableReader::duration)?
        } else {
            match table.duration(key) {
                Some(below) => below,
                None => continue,
            }
        };
        if last.is_some_and(|last| below <= last) || below.is_zero() {
            let message = format!("`{key}` must be above zero and above the limit of every better category");
            return table.refuse(key, message);
        }
        last = Some(below);
        edges.push((category, below.as_nanos() as f64 / 1_000.0));
    }
    Some(edges)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;

    fn builtin(name: &str) -> ThresholdSet {
        ThresholdSet::builtin(name).unwrap()
    }

    #[test]
    fn every_builtin_set_is_valid_and_every_band_has_a_source() {
        for (name, text) in BUILTIN {
            let set = ThresholdSet::parse(text).unwrap_or_else(|mistakes| panic!("{name}:\n{mistakes}"));
            assert_eq!(set.name, *name);
            assert!(set.bands.iter().all(|(.., bands)| !bands.source().is_empty()), "{name}");
        }
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("thresholds");
        let files: BTreeSet<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned())
            .collect();
        assert_eq!(files, builtin_names().map(str::to_owned).collect());
    }

    #[test]
    fn the_edges_of_the_oci_table_are_half_open() {
        let bands = builtin("oci-sqlserver");
        let bands = bands.bands(Role::Data, Stream::Read, Figure::LatencyMean).unwrap();
        let check =
            |latency_us: f64, category| assert_eq!(bands.category(latency_us), category, "{latency_us}");
        check(0.0, Category::Excellent);
        check(999.9, Category::Excellent);
        check(1_000.0, Category::Good);
        check(1_999.9, Category::Good);
        check(2_000.0, Category::Acceptable);
        check(4_999.9, Category::Acceptable);
        check(5_000.0, Category::Poor);
        check(9_999.9, Category::Poor);
        check(10_000.0, Category::Critical);
        check(19_999.9, Category::Critical);
        check(20_000.0, Category::Unsustainable);
        check(1e12, Category::Unsustainable);
        assert_eq!(bands.limit_us(), 5_000.0);
    }

    #[test]
    fn above_the_last_edge_lies_the_next_worse_category() {
        let whitepaper = builtin("sqlserver-whitepaper");
        let check = |role, latency_us: f64, category| {
            let bands = whitepaper.bands(role, Stream::Write, Figure::LatencyMean).unwrap();
            assert_eq!(bands.category(latency_us), category, "{role} {latency_us}");
        };
        check(Role::Log, 999.0, Category::Good);
        check(Role::Log, 1_000.0, Category::Acceptable);
        check(Role::Log, 5_000.0, Category::Poor);
        check(Role::Data, 9_999.0, Category::Good);
        check(Role::Data, 19_999.0, Category::Acceptable);
        check(Role::Tempdb, 20_000.0, Category::Poor);
        check(Role::Scan, 29_999.0, Category::Acceptable);
        check(Role::Scan, 30_000.0, Category::Poor);
        let flash = builtin("flash");
        let bands = flash.bands(Role::Log, Stream::Commit, Figure::LatencyP999).unwrap();
        assert_eq!(bands.category(19_999.9), Category::Poor);
        assert_eq!(bands.category(20_000.0), Category::Critical);
    }

    #[test]
    fn flash_judges_every_role_by_mean_and_p99_and_all_but_scans_by_p999() {
        let flash = builtin("flash");
        for role in Role::ALL {
            for stream in Stream::OF_RUNS {
                let judged = |figure| flash.bands(*role, stream, figure).is_some();
                assert!(
                    judged(Figure::LatencyMean) && judged(Figure::LatencyP99),
                    "{role} {}",
                    stream.as_str()
                );
                let large = matches!(role, Role::Scan | Role::Backup);
                assert_eq!(judged(Figure::LatencyP999), !large, "{role} {}", stream.as_str());
            }
        }
    }

    #[test]
    fn etcd_is_judged_by_the_limits_that_etcd_and_openshift_publish() {
        let etcd = builtin("etcd");
        let check = |role, figure, latency_us: f64, category| {
            let bands = etcd.bands(role, Stream::Commit, figure).unwrap();
            assert_eq!(bands.category(latency_us), category, "{role} {figure} {latency_us}");
        };
        check(Role::Log, Figure::LatencyP99, 9_999.0, Category::Acceptable);
        check(Role::Log, Figure::LatencyP99, 10_000.0, Category::Poor);
        check(Role::Log, Figure::LatencyP99, 20_000.0, Category::Critical);
        check(Role::Log, Figure::LatencyMean, 1_999.0, Category::Good);
        check(Role::Data, Figure::LatencyP99, 24_999.0, Category::Acceptable);
        check(Role::Data, Figure::LatencyP99, 25_000.0, Category::Poor);
        // No source has a mean for the backend, or a limit for p99.9.
        assert!(etcd.bands(Role::Data, Stream::Write, Figure::LatencyMean).is_none());
        assert!(!etcd.judges_figure(Figure::LatencyP999));
    }

    #[test]
    fn a_set_may_judge_a_tail_alone() {
        let kafka = builtin("kafka");
        assert!(kafka.judges_figure(Figure::LatencyP99) && !kafka.judges_figure(Figure::LatencyMean));
        let bands = kafka.bands(Role::Log, Stream::Commit, Figure::LatencyP99).unwrap();
        assert_eq!((bands.limit_us(), bands.category(200_000.0)), (50_000.0, Category::Critical));
    }

    #[test]
    fn the_oci_table_says_of_every_category_what_it_is_suitable_for() {
        let oci = builtin("oci-sqlserver");
        assert!(Category::ALL.into_iter().all(|category| oci.meaning(category).is_some()));
        let acceptable = oci.meaning(Category::Acceptable).unwrap();
        assert_eq!(acceptable.impact, "possible minor delays on intensive queries");
        assert_eq!(acceptable.suitable_for, "light OLTP or test environments");
        assert_eq!(builtin("flash").meaning(Category::Acceptable), None);
    }

    #[test]
    fn the_sets_of_averages_judge_no_tail_and_know_what_they_leave_out() {
        for name in ["oci-sqlserver", "sqlserver-whitepaper"] {
            let set = builtin(name);
            assert!(set.judges_figure(Figure::LatencyMean), "{name}");
            assert!(
                !set.judges_figure(Figure::LatencyP99) && !set.judges_figure(Figure::LatencyP999),
                "{name}"
            );
        }
        assert!(!builtin("oci-sqlserver").judges_role(Role::Scan));
        assert!(builtin("sqlserver-whitepaper").judges_role(Role::Scan));
    }

    #[test]
    fn an_unknown_set_is_answered_with_the_nearest_one() {
        let nearest = |name: &str| ThresholdSet::builtin(name).unwrap_err().nearest;
        assert_eq!((nearest("oci"), nearest("sql")), (Some("oci-sqlserver"), Some("sqlserver-whitepaper")));
        assert_eq!(nearest(""), None);
        let error = ThresholdSet::builtin("flahs").unwrap_err();
        assert_eq!(error.nearest, Some("flash"));
        assert_eq!(
            error.to_string(),
            "there is no built-in threshold set `flahs`; the built-in sets are flash, oci-sqlserver, sqlserver-whitepaper, etcd, kafka"
        );
    }

    #[test]
    fn the_example_of_the_documentation_is_valid() {
        let documentation = include_str!("../../../docs/thresholds.md");
        let example = documentation.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
        let set = ThresholdSet::parse(example).unwrap_or_else(|mistakes| panic!("{mistakes}"));
        assert!(set.judges_role(Role::Log));
        assert!(set.meaning(Category::Acceptable).is_some() && set.meaning(Category::Poor).is_none());
    }

    /// A set of this name with one limit, for commits of a log.
    fn own(name: &str, below: &str) -> Option<ThresholdSet> {
        let bands =
            format!("roles = [\"log\"]\nsource = \"me\"\nmean = {{ acceptable_below = \"{below}\" }}\n");
        let head = format!("format = \"iotrial.thresholds/1\"\nname = \"{name}\"\ntitle = \"T\"\n");
        ThresholdSet::parse(&format!("{head}[[bands]]\n{bands}")).ok()
    }

    #[test]
    fn a_set_with_the_name_of_a_builtin_one_and_other_content_is_told_apart() {
        let falsely_named_as = |name: &str| own(name, "1ms").unwrap().falsely_named_as();
        assert_eq!((falsely_named_as("flash"), falsely_named_as("mine")), (Some("flash"), None));
        assert_eq!(builtin("flash").falsely_named_as(), None);
    }

    #[test]
    fn a_limit_of_zero_is_refused() {
        assert!(own("mine", "1us").is_some() && own("mine", "0us").is_none());
    }

    #[test]
    fn every_kind_of_mistake_names_its_place_and_what_to_write() {
        let check = |bands: &str, message: &str| {
            let text =
                format!("format = \"iotrial.thresholds/1\"\nname = \"m\"\ntitle = \"M\"\n[[bands]]\n{bands}");
            assert_eq!(ThresholdSet::parse(&text).unwrap_err().to_string(), message);
        };
        check(
            "roles = [\"log\", \"dta\"]\nsource = \"me\"\nmean = { acceptable_below = \"1ms\" }",
            "line 5, column 17: `roles` must be one of data, tempdb, log, scan, backup, not \"dta\" (did you mean \"data\"?)",
        );
        check(
            "roles = [\"log\"]\nsource = \"me\"\nmean = { acceptable_below = 1 }",
            "line 7, column 29: `acceptable_below` must be a string with a unit, such as \"30s\", not integer",
        );
        check("roles = [\"log\"]\nsource = \"me\"", "line 4, column 1: bands need `mean`, `p99` or `p999`");
        check(
            "roles = [\"log\"]\nsource = \"me\"\nmean = { acceptable_below = \"1ms\" }\n[meaning]\ngod = { impact = \"none\", suitable_for = \"all\" }",
            "line 9, column 1: unknown key `god` (did you mean `good`?)",
        );
        check(
            "roles = [\"log\"]\nsource = \"me\"\nmean = { acceptable_below = \"1ms\" }\n[meaning]\ngood = { impact = \"none\" }",
            "line 9, column 8: `suitable_for` is missing",
        );
        check(
            "roles = [\"log\"]\nsource = \"me\"\nmean = { acceptable_below = \"2ms\", good_below = \"2ms\" }",
            "line 7, column 29: `acceptable_below` must be above zero and above the limit of every better category",
        );
        check(
            "roles = [\"log\"]\nsource = \"me\"\nmean = { acceptable_below = \"2ms\" }\n[[bands]]\nroles = [\"log\"]\nstreams = [\"commit\"]\nsource = \"me\"\nmean = { acceptable_below = \"3ms\" }",
            "line 12, column 8: log commit mean already has bands",
        );
    }
}
