use super::*;

const SMALL: &str = r#"
format = "iotrial.catalog/1"
provider = "small"
currency = "EUR"
hours_per_month = 730

[source.page]
text = "a page"
as_of = "2026-01-05"

[[volume]]
name = "disk"
size_min_gib = 10
size_max_gib = 1000
iops_per_gib = 5
iops_max = 3000
mb_per_s_max = 200
price = { per_gib_month = 0.1, source = "page" }
source = "page"

[[machine]]
name = "host"
vcpus = 8
memory_gib = 64
limit = [{ name = "limit", iops = 20000, mb_per_s = 1000 }]
source = "page"
"#;

#[test]
fn every_built_in_catalog_reads_and_knows_what_it_does_not_know() {
    let catalogs = Catalog::built_in();
    let providers: Vec<&str> = catalogs.iter().map(|catalog| catalog.provider.as_str()).collect();
    assert_eq!(providers, ["oci", "azure", "aws", "gcp"]);
    for catalog in &catalogs {
        assert!(!catalog.gaps.is_empty(), "{}", catalog.provider);
        assert!(catalog.oldest().0.is_some() && catalog.newest().is_some(), "{}", catalog.provider);
        let priced = catalog.machines.iter().filter(|machine| machine.price.is_some()).count();
        assert!(priced * 2 > catalog.machines.len(), "{}: {priced} machines have a price", catalog.provider);
    }
}

/// docs.oracle.com, Block Volume Performance: for 10 and more VPU the figures follow formulas.
#[test]
fn levels_of_oci_follow_the_formulas_of_the_vendor() {
    let catalog = Catalog::built_in_of("oci").unwrap();
    let kind = catalog.volume("block-volume").unwrap();
    for level in kind.levels.iter().filter(|level| level.vpus_per_gib >= 10.0) {
        let vpus = level.vpus_per_gib;
        let of = |measure| *level.limits.iter().find(|limit| limit.measure == measure).unwrap();
        let (iops, bandwidth) = (of(Measure::Iops), of(Measure::Bandwidth));
        assert_eq!((iops.per_gib, iops.max), (1.5 * vpus + 45.0, 2_500.0 * vpus), "{}", level.name);
        assert!((bandwidth.per_gib - (12.0 * vpus + 360.0) * 1e3).abs() < 1e-3, "{}", level.name);
        assert_eq!(bandwidth.max, (20.0 * vpus + 280.0) * 1e6, "{}", level.name);
    }
}

#[track_caller]
fn check_mistake(replace: &str, by: &str, expected: &str) {
    assert!(SMALL.contains(replace), "{replace}");
    let mistakes = Catalog::parse(&SMALL.replacen(replace, by, 1)).unwrap_err().to_string();
    assert!(mistakes.contains(expected), "{mistakes}");
}

#[test]
fn a_catalog_with_an_unknown_key_or_a_missing_unit_is_refused_with_the_key_that_was_meant() {
    assert!(Catalog::parse(SMALL).is_ok());
    check_mistake("mb_per_s_max = 200", "mbps_max = 200", "unknown key `mbps_max`");
    check_mistake("memory_gib = 64", "memory = 64", "unknown key `memory` (did you mean `memory_gib`?)");
    check_mistake(
        "size_min_gib = 10",
        "size_min = 10",
        "unknown key `size_min` (did you mean `size_min_gib`?)",
    );
    check_mistake("as_of = \"2026-01-05\"", "as_of = \"last year\"", "`as_of` must be a day such as");
    check_mistake("as_of = \"2026-01-05\"", "as_of = \"2026-02-29\"", "`as_of` must be a day such as");
    check_mistake("as_of = \"2026-01-05\"", "as_of = \"2027-13-40\"", "`as_of` must be a day such as");
    check_mistake("as_of = \"2026-01-05\"", "", "`as_of` is missing");
    check_mistake(
        "source = \"page\"\n\n[[machine]]",
        "source = \"book\"\n\n[[machine]]",
        "[source.book] is missing",
    );
    check_mistake("currency = \"EUR\"", "currency = \"euro\"", "`currency` must be a code such as");
    check_mistake("currency = \"EUR\"", "", "`currency` is missing");
    check_mistake("hours_per_month = 730", "hours_per_month = 24", "must be from 600 to 744");
    check_mistake(
        "name = \"limit\", iops = 20000, mb_per_s = 1000",
        "name = \"limit\"",
        "a limit is missing",
    );
    check_mistake("iops = 20000", "volumes = [\"disc\"], iops = 20000", "no volume is named `disc`");
    check_mistake(
        "mb_per_s_max = 200",
        "mb_per_s_max = 200\nmib_per_s_max = 190",
        "in MB/s or in MiB/s, not both",
    );
    check_mistake("size_min_gib = 10", "size_min_gib = 2000", "a larger `size_max_gib`");
    check_mistake("vcpus = 8", "vcpus = 0", "`vcpus` must be from 1 to 8192");
    check_mistake(
        "mb_per_s = 1000 }]",
        "mb_per_s = 1000 }, { name = \"limit\", iops = 1 }]",
        "two of the limits are named `limit`",
    );
}

#[test]
fn an_unknown_machine_is_answered_with_the_one_that_was_meant() {
    let catalog = Catalog::built_in_of("azure").unwrap();
    let check = |name: &str, expected: &str| {
        let error = catalog.machine(name).unwrap_err();
        assert!(error.hint.contains(expected), "{name}: {}", error.hint);
    };
    check("E96ds_v5", "Standard_E96ds_v5");
    check("DS14v2", "Standard_DS14_v2");
    check("Standard_E96ds_v55", "Standard_E96ds_v5");
    check("zzz", "`iotrial size catalogs azure` lists them");
    assert_eq!(catalog.machine("standard_e96DS_v5").unwrap().name, "Standard_E96ds_v5");
    assert_eq!(catalog.volume("premium-sdd").unwrap_err().hint, "did you mean `premium-ssd`?");
}

#[test]
fn no_name_of_a_catalog_becomes_an_option_of_an_order_or_hides_a_part_of_it() {
    for text in BUILT_IN {
        let lines: Vec<&str> = text.lines().collect();
        // One table of each kind, and a name within a line, such as that of a limit or of a machine with fewer processors.
        let mut tried: Vec<(&str, &str)> = Vec::new();
        let mut table = "";
        for (index, line) in lines.iter().enumerate() {
            if line.starts_with('[') {
                table = line;
            }
            let key = ["{ name = \"", "vcpus = { ", "name = \""].into_iter().find(|key| line.contains(key));
            let is_new = |key: &&str| !line.starts_with('#') && !tried.contains(&(table, *key));
            let Some(key) = key.filter(is_new) else { continue };
            tried.push((table, key));
            let at = line.find(key).unwrap() + key.len();
            let (before, name) = line.split_at(at);
            let name = name.trim_start_matches('"');
            let before = before.trim_end_matches('"');
            for first in ["-", "--query=", "\\u202e", "x\\n", "\\u001b"] {
                let end = name.find('"').unwrap();
                let rest = name[end..].trim_start_matches('"');
                let spoilt_line = format!("{before}\"{first}{}\"{rest}", &name[..end]);
                let mut spoilt = lines.clone();
                spoilt[index] = &spoilt_line;
                let mistakes = Catalog::parse(&spoilt.join("\n")).unwrap_err();
                assert!(
                    mistakes
                        .0
                        .iter()
                        .any(|one| one.line == index + 1 && one.message.contains("cannot be a name")),
                    "{spoilt_line}: {mistakes}"
                );
            }
        }
        for kind in ["[[volume]]", "[[machine]]"] {
            assert!(tried.iter().any(|(table, _)| *table == kind), "{kind}");
        }
    }
}
