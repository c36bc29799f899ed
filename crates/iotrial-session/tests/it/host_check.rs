//! Hosts as text: each file in `tests/hosts` describes `/proc` and `/sys` of one, and says what a check finds there.
//!
//! `IOTRIAL_WRITE_HOSTS=1` writes what was found behind the line `expected` of each file; the difference is read like code.

use std::fs;
use std::path::{Path, PathBuf};

use crate::described::Tree;
use iotrial_analysis::host_check::{CheckAnswer, Database};
use iotrial_model::host_fact::{FactId, Part, Reading, TargetChain};
use iotrial_session::host_check::{CheckRequest, check_host};

/// Chain, findings and gaps, a line each.
fn told(answer: &CheckAnswer) -> String {
    let mut lines = Vec::new();
    for chain in &answer.host.chains {
        lines.push(format!("target {}", chain.target));
        let carried = |at: usize| chain.parts.iter().any(|part| part.carried_by.contains(&at));
        for root in (0..chain.parts.len()).filter(|at| !carried(*at)) {
            tell_part(chain, root, 1, &mut lines);
        }
        lines.extend(chain.ends.iter().map(|why| format!("  ends: {why}")));
    }
    for one in &answer.findings {
        let parts = one.parts.join(" ");
        lines.push(format!(
            "{} {} of {parts}: {}, wanted {}",
            one.severity.as_str(),
            one.rule,
            one.found,
            iotrial_words::wanted::wanted(&one.wanted)
        ));
    }
    for one in &answer.unknown {
        lines.push(format!("unknown {} of {}: {}", one.what, one.parts.join(" "), one.why));
    }
    lines.push(format!("good {}", answer.good.len()));
    lines.join("\n") + "\n"
}

fn tell_part(chain: &TargetChain, at: usize, depth: usize, lines: &mut Vec<String>) {
    let part = &chain.parts[at];
    let about = if part.about.is_empty() { String::new() } else { format!(" ({})", part.about) };
    lines.push(format!("{}{} {}{about}", "  ".repeat(depth), part.kind.as_str(), part.name));
    part.carried_by.iter().for_each(|below| tell_part(chain, *below, depth + 1, lines));
}

/// `check TARGET… for DATABASE`, the first line that is no comment.
fn request(root: &Path, line: &str) -> CheckRequest {
    let (targets, database) = line.split_once(" for ").unwrap_or((line, ""));
    CheckRequest {
        targets: targets.split(' ').skip(1).map(PathBuf::from).collect(),
        database: Database::from_word(database),
        captured: Some(root.to_owned()),
        ..CheckRequest::default()
    }
}

#[test]
fn every_described_host_has_the_chain_and_the_findings_that_its_file_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hosts");
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 12, "{files:?}");
    let mut wrong = Vec::new();
    for path in files {
        let text = fs::read_to_string(&path).unwrap();
        let (description, expected) = text.split_once("\nexpected\n").unwrap_or((&text, ""));
        let (head, rest): (Vec<&str>, Vec<&str>) =
            description.lines().partition(|line| line.starts_with("check "));
        let tree = Tree::of(&rest.join("\n"));
        let found = told(&check_host(&request(tree.folder.path(), head[0])).unwrap());
        if std::env::var_os("IOTRIAL_WRITE_HOSTS").is_some() {
            fs::write(&path, format!("{}\nexpected\n{found}", description.trim_end())).unwrap();
        } else if found != expected {
            wrong.push(format!("{}\n--- expected\n{expected}--- found\n{found}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_folder_without_a_mount_table_is_no_copy_and_a_copy_of_garbage_is_read_without_a_panic() {
    let folder = tempfile::tempdir().unwrap();
    let request = |targets: &[&str]| CheckRequest {
        targets: targets.iter().map(PathBuf::from).collect(),
        captured: Some(folder.path().to_owned()),
        ..CheckRequest::default()
    };
    assert!(check_host(&request(&["/data"])).unwrap_err().to_string().contains("not a copy of a host"));
    let tree = Tree { folder };
    for garbage in [
        "",
        "\u{fffd}\\n\\n",
        "1 2 3:4 / / rw - ext4 /dev/sda rw",
        "1 1 8:0 / /data rw - nfs [::1]:/x rw,addr=::1",
    ] {
        for file in [
            "proc/self/mountinfo",
            "proc/swaps",
            "proc/meminfo",
            "proc/cpuinfo",
            "proc/self/cgroup",
            "proc/net/route",
        ] {
            tree.file(file, garbage);
        }
        let captured = Some(tree.folder.path().to_owned());
        let targets = vec![PathBuf::from("/data"), PathBuf::from("/dev/sda")];
        let answer = check_host(&CheckRequest { targets, captured, ..CheckRequest::default() }).unwrap();
        assert_eq!(answer.host.chains.len(), 2);
    }
}

#[test]
fn rules_of_ones_own_are_added_and_replace_built_in_ones_of_their_id() {
    let tree = Tree::of("base physical");
    let folder = tempfile::tempdir().unwrap();
    let rule = |id: &str| {
        format!(
            "[[rule]]\nid = \"{id}\"\ntitle = \"t\"\nof = [\"host\"]\nfact = \"clock_source\"\n\
             want.any = {{ one_of = [\"atomic\"] }}\nseverity = \"low\"\nwhy = \"w\"\nsource = \"our standard\"\n"
        )
    };
    let text = format!("format = \"iotrial.host-rules/1\"\n{}{}", rule("clock-source"), rule("our-clock"));
    fs::write(folder.path().join("our.toml"), text).unwrap();
    let captured = Some(tree.folder.path().to_owned());
    let request = CheckRequest { captured, rules: vec![folder.path().to_owned()], ..CheckRequest::default() };
    let answer = check_host(&request).unwrap();
    let rules: Vec<&str> = answer.findings.iter().map(|one| one.rule.as_str()).collect();
    assert_eq!(rules, ["clock-source", "our-clock"]);
    assert!(!answer.has_grave_findings());
    fs::write(folder.path().join("wrong.toml"), "format = \"iotrial.host-rules/1\"").unwrap();
    assert!(check_host(&request).unwrap_err().to_string().contains("wrong.toml"));
}

#[test]
fn endpoints_open_connections_and_paths_of_direct_nfs_are_read_of_a_copy() {
    let host = include_str!("../hosts/azure-dnfs.txt");
    let tree = Tree::of(&host[host.find("base ").unwrap()..host.find("\nexpected").unwrap()]);
    let answer = check_host(&request(tree.folder.path(), "check /u02 /u03 for oracle")).unwrap();
    let told = |part: &Part, ids: &[FactId]| -> Vec<String> {
        ids.iter().map(|id| part.value(*id).map_or("none".to_owned(), ToString::to_string)).collect()
    };
    assert_eq!(told(&answer.host.host, &[FactId::NfsShares, FactId::NfsEndpoints]), ["2", "1"]);
    for chain in &answer.host.chains {
        let facts =
            [FactId::NfsAddress, FactId::NfsConnections, FactId::NfsOpenConnections, FactId::DnfsPaths];
        assert_eq!(told(&chain.parts[0], &facts), ["10.0.2.4", "2", "2", "2"]);
    }
    assert_eq!(answer.findings.iter().filter(|one| one.rule == "nfs-endpoints-azure").count(), 1);
    // A second endpoint, and neither a file of Direct NFS nor the counters of mounts.
    let [without, _] = host.split("\nexpected").collect::<Vec<_>>()[..] else { panic!() };
    let lines = without
        .lines()
        .filter(|line| !["oranfstab", "mountstats", "check "].iter().any(|words| line.contains(words)));
    let other = lines.map(|line| match line.contains("/u03") {
        true => line.replace("10.0.2.4", "10.0.2.5"),
        false => line.to_owned(),
    });
    let tree = Tree::of(&other.collect::<Vec<_>>().join("\n"));
    let answer = check_host(&request(tree.folder.path(), "check /u03 for oracle")).unwrap();
    assert_eq!(told(&answer.host.host, &[FactId::NfsShares, FactId::NfsEndpoints]), ["2", "2"]);
    let facts = [FactId::NfsAddress, FactId::NfsOpenConnections, FactId::DnfsPaths];
    assert_eq!(told(&answer.host.chains[0].parts[0], &facts), ["10.0.2.5", "none", "none"]);
    assert!(answer.findings.iter().all(|one| one.rule != "nfs-endpoints-azure"));
}

#[test]
fn the_stripes_of_btrfs_and_of_arrays_are_read_with_their_width() {
    let check = |host: &str, part: usize, expected: [&str; 3]| {
        let described = &host[host.find("base ").unwrap()..host.find("\nexpected").unwrap()];
        let tree = Tree::of(described);
        let answer = check_host(&request(tree.folder.path(), "check /data")).unwrap();
        let part = &answer.host.chains[0].parts[part];
        let shown = [FactId::RaidLevel, FactId::Stripes, FactId::StripeUnit].map(|id| {
            match part.fact(id).map(|fact| &fact.reading) {
                Some(Reading::Known(value)) => id.written(value),
                Some(Reading::Unknown(_)) => "unknown".to_owned(),
                None => "none".to_owned(),
            }
        });
        assert_eq!(shown, expected, "{}", part.name);
    };
    let btrfs = include_str!("../hosts/btrfs.txt");
    let raid10 = include_str!("../hosts/md-raid10.txt");
    check(btrfs, 0, ["raid0", "2", "64 KiB"]);
    check(&btrfs.replace("data/raid0/", "data/raid1/"), 0, ["raid1", "1", "none"]);
    check(
        &btrfs.replace("allocation/data/raid0/total_bytes = 1073741824", "elsewhere = 1"),
        0,
        ["unknown", "none", "none"],
    );
    // Near copies: two of each of two members.
    check(raid10, 1, ["raid10", "2", "512 KiB"]);
    check(&raid10.replace("raid10 chunk", "raid5 chunk"), 1, ["raid5", "3", "512 KiB"]);
    check(&raid10.replace("raid10 chunk", "raid0 chunk"), 1, ["raid0", "4", "512 KiB"]);
    check(&raid10.replace(" layout=258", ""), 1, ["raid10", "unknown", "512 KiB"]);
}
