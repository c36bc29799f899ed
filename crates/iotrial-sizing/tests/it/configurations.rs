//! Configurations as files: what is wrong with them, and how they are placed.

use iotrial_sizing::catalog::{Catalog, Effect};
use iotrial_sizing::chain::Chain;
use iotrial_sizing::configuration::Configuration;
use iotrial_sizing::measure::{Load, LoadStream};
use iotrial_sizing::rule::broken_rules;

const ONE: &str = r#"
format = "iotrial.configuration/1"
provider = "oci"
machine = "VM.Standard.E4.Flex"
ocpus = 16
memory = "64GiB"
os = "windows"
[[pool]]
volume = "block-volume"
level = "vpu-90"
size = "1430GiB"
attachment = "paravirtualized"
"#;

fn oci() -> Catalog {
    Catalog::built_in_of("oci").unwrap()
}

#[track_caller]
fn check(replace: &str, by: &str, expected: &str, hint: &str) {
    assert!(ONE.contains(replace), "{replace}");
    let configuration = Configuration::parse(&ONE.replacen(replace, by, 1)).unwrap();
    let catalog = oci();
    let error = configuration.on(&catalog).map(|_| ()).unwrap_err();
    assert!(error.to_string().contains(expected), "{error}");
    assert!(error.hint().unwrap_or_default().contains(hint), "{:?}", error.hint());
}

#[test]
fn what_cannot_be_ordered_is_refused_with_what_can() {
    check("VM.Standard.E4.Flex", "VM.Standard.E4", "has no machine `VM.Standard.E4`", "VM.Standard.E4.Flex");
    check("block-volume", "block-vol", "has no volume `block-vol`", "block-volume");
    check("vpu-90", "vpu-95", "has no level `vpu-95`", "did you mean");
    check("level = \"vpu-90\"\n", "", "`level` is missing", "vpu-0, vpu-10");
    check("\"paravirtualized\"", "\"nvme\"", "has no attachment `nvme`", "paravirtualized, iscsi");
    check("attachment = \"paravirtualized\"\n", "", "`attachment` is missing", "paravirtualized, iscsi");
    check(
        "ocpus = 16",
        "ocpus = 65",
        "the number of OCPUs of `VM.Standard.E4.Flex` must be from 1 to 64, not 65",
        "",
    );
    check("ocpus = 16\n", "", "`ocpus` is missing", "from 1 to 64");
    check("64GiB", "2TiB", "the memory of `VM.Standard.E4.Flex` must be from 16 to 1024 GiB", "");
    check("1430GiB", "40TiB", "the size of `vpu-90` must be from 50 to 32768 GiB, not 40960 GiB", "");
    check("size = \"1430GiB\"\n", "", "`size` is missing", "from 50 to 32768 GiB");
    check("size =", "iops = 5\nsize =", "`iops` cannot be chosen for `block-volume`", "");
    let mistakes =
        Configuration::parse(&ONE.replace("size = \"1430GiB\"", "size = 1430")).unwrap_err().to_string();
    assert!(mistakes.contains("`size` must be a string with a unit"), "{mistakes}");
    let mistakes = Configuration::parse(&ONE.replace("attachment =", "atachment =")).unwrap_err().to_string();
    assert!(mistakes.contains("did you mean `attachment`?"), "{mistakes}");
}

#[test]
fn rules_of_attachments_are_found_each_with_its_source() {
    let ids = |replace: &str, by: &str| {
        let catalog = oci();
        let configuration = Configuration::parse(&ONE.replacen(replace, by, 1)).unwrap();
        let broken = broken_rules(&configuration.on(&catalog).unwrap());
        assert!(
            broken.iter().all(|rule| rule.source.contains("(20") || rule.source.contains("no date")),
            "{broken:?}"
        );
        broken.into_iter().map(|rule| (rule.id().to_owned(), rule.effect())).collect::<Vec<_>>()
    };
    assert!(ids("16", "16").is_empty());
    assert_eq!(ids("ocpus = 16", "ocpus = 15"), [("uhp-needs-16-ocpu".to_owned(), Effect::Forbids)]);
    assert_eq!(ids("paravirtualized", "iscsi"), [("windows-iscsi-multipath".to_owned(), Effect::Forbids)]);
    assert_eq!(ids("os =", "clustered = true\nos ="), [("windows-cluster-uhp".to_owned(), Effect::Forbids)]);
    assert_eq!(ids("size =", "count = 17\nsize ="), [("too-many-volumes".to_owned(), Effect::Forbids)]);
}

/// One mistake is told once: what stands beside it is not called unknown for that.
#[test]
fn a_mistake_has_no_untrue_ones_behind_it() {
    let text = ONE.replace("size = \"1430GiB\"", "size = \"1000GB\"\niops = 5\nbandwidth = \"1MB/s\"");
    let mistakes = Configuration::parse(&text).unwrap_err().to_string();
    assert!(mistakes.contains("whole GiB") && !mistakes.contains("unknown key"), "{mistakes}");
}

#[test]
fn a_mirror_needs_a_volume_for_each_copy() {
    let catalog = oci();
    let mut configuration = Configuration::parse(&ONE.replace("os =", "mirror = \"two-way\"\nos =")).unwrap();
    let broken = |configuration: &Configuration| broken_rules(&configuration.on(&catalog).unwrap());
    assert_eq!(broken(&configuration)[0].id(), "mirror-needs-volumes");
    configuration.pools[0].count = 2;
    assert!(broken(&configuration).is_empty());
}

/// Google states no network of its machines: what goes to other machines is held against nothing, and told.
#[test]
fn writes_to_replicas_over_an_unknown_network_are_told() {
    let text = "format = \"iotrial.configuration/1\"\nprovider = \"gcp\"\nmachine = \"n2-standard-32\"\nreplicas = 1\n[[pool]]\nvolume = \"pd-ssd\"\nsize = \"1TiB\"\n";
    let catalog = Catalog::built_in_of("gcp").unwrap();
    let broken = broken_rules(&Configuration::parse(text).unwrap().on(&catalog).unwrap());
    assert_eq!(broken.iter().map(|rule| rule.id()).collect::<Vec<_>>(), ["network-unknown"]);
}

/// What lies on a pool without roles is everything that no other pool takes, also for rules.
#[test]
fn a_pool_without_roles_has_those_that_are_left() {
    let text = "format = \"iotrial.configuration/1\"\nprovider = \"azure\"\nmachine = \"Standard_DS14_v2\"\n[[pool]]\nvolume = \"premium-ssd\"\nlevel = \"P30\"\nhost_cache = \"read-only\"\n";
    let catalog = Catalog::built_in_of("azure").unwrap();
    let ids = |text: &str| -> Vec<String> {
        let broken = broken_rules(&Configuration::parse(text).unwrap().on(&catalog).unwrap());
        broken.into_iter().map(|rule| rule.id().to_owned()).collect()
    };
    assert_eq!(ids(text), ["cache-on-log", "machine-retires"]);
    let apart = format!("{text}[[pool]]\nroles = [\"log\"]\nvolume = \"premium-ssd\"\nlevel = \"P30\"\n");
    assert_eq!(ids(&apart), ["machine-retires"]);
    // As many of the same volumes, told apart by what lies on them.
    let resolved = Configuration::parse(&apart).unwrap();
    let names: Vec<String> =
        Chain::of(&resolved.on(&catalog).unwrap(), false).elements.into_iter().map(|one| one.name).collect();
    assert_eq!(names[..2], ["1 × P30 (the rest)", "1 × P30 (log)"]);
}

#[test]
fn a_configuration_is_the_same_after_it_was_written_and_read() {
    let check = |text: &str| {
        let configuration = Configuration::parse(text).unwrap();
        assert_eq!(
            Configuration::parse(&configuration.to_toml()).unwrap(),
            configuration,
            "{}",
            configuration.to_toml()
        );
    };
    check(ONE);
    check(
        r#"
format = "iotrial.configuration/1"
title = "apart"
provider = "aws"
machine = "r6i.4xlarge"
mirror = "two-way"
replicas = 1
outstanding = 64
latency_mean = "1.5ms"
licence = false
[[pool]]
roles = ["data", "tempdb"]
volume = "gp3"
size = "500GiB"
count = 4
iops = 6000
bandwidth = "250MB/s"
[[pool]]
roles = ["log"]
volume = "io2"
size = "100GiB"
iops = 8000
"#,
    );
}

/// Data and log on pools of their own, as document 003 advises: each pool has its limits, and both share the machine's.
#[test]
fn roles_on_pools_of_their_own_share_only_what_the_machine_carries() {
    let configuration = Configuration::parse(
        r#"
format = "iotrial.configuration/1"
provider = "azure"
machine = "Standard_DS14_v2"
[[pool]]
roles = ["data", "tempdb"]
volume = "premium-ssd"
level = "P30"
count = 4
host_cache = "read-only"
cache_hit_percent = 50
[[pool]]
roles = ["log"]
volume = "ultra-disk"
size = "256GiB"
iops = 40000
bandwidth = "400MB/s"
"#,
    )
    .unwrap();
    let catalog = Catalog::built_in_of("azure").unwrap();
    let resolved = configuration.on(&catalog).unwrap();
    let chain = Chain::of(&resolved, false);
    let stream = |pool, direction, iops| LoadStream {
        pool,
        direction,
        iops,
        block_size_bytes: 8192.0,
        is_sequential: false,
        is_shipped: false,
    };
    use iotrial_model::load::Direction::{Read, Write};
    // Half of the reads never reach the disks: 4 × 5,000 IOPS carry 40,000 reads.
    let data = Load { streams: vec![stream(0, Read, 1.0)] };
    assert_eq!((chain.reach(&data), chain.headrooms(&data)[0].element.name.as_str()), (40_000.0, "4 × P30"));
    let log = Load { streams: vec![stream(1, Write, 1.0)] };
    assert_eq!(
        (chain.reach(&log), chain.headrooms(&log)[0].element.name.as_str()),
        (40_000.0, "1 × ultra-disk")
    );
    // 15,000 reads that miss and 37,000 log writes are more than the 51,200 of the VM.
    let both = Load { streams: vec![stream(0, Read, 30_000.0), stream(1, Write, 37_000.0)] };
    assert_eq!(chain.headrooms(&both)[0].element.name, "uncached VM limit");
    assert!(!chain.carries(&both));
}
