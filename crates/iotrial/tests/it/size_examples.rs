//! The ten purchasing questions of `docs/size-examples.md`, held against what vendors' documents lead to expect. The bounds are the orders of
//! magnitude that were written down before the program was asked, a little wider where a catalog may get a cheaper machine.

use crate::support::Bench;
use serde_json::Value;

const SQL_SERVER: &str =
    "--read 16000iops@8KiB --write 4000iops@8KiB --capacity 2TiB --memory 64GiB --vcpus 8 --os windows";

fn ask(question: &str) -> Value {
    let args: Vec<&str> = std::iter::once("size").chain(question.split(' ')).chain(["--json"]).collect();
    Bench::new().run(&args).json()
}

/// What the first answer of a provider pays for a part, or for all.
fn paid(sizing: &Value, provider: &str, part: &str) -> f64 {
    let found = sizing["found"].as_array().unwrap();
    let found = found.iter().find(|found| found["provider"] == provider).unwrap();
    let cost = &found["answers"][0]["cost"];
    if part.is_empty() {
        return cost["per_month"].as_f64().unwrap();
    }
    let terms = cost["terms"].as_array().unwrap().iter().filter(|term| term["part"] == part);
    terms.map(|term| term["per_month"].as_f64().unwrap()).sum()
}

fn within(have: f64, bounds: std::ops::RangeInclusive<f64>) {
    assert!(bounds.contains(&have), "{have} is not in {bounds:?}");
}

#[test]
fn one_and_two_sql_server_on_aws() {
    let standard = ask(&format!("{SQL_SERVER} --database sqlserver-standard --provider aws"));
    within(paid(&standard, "aws", ""), 1_350.0..=1_700.0);
    within(paid(&standard, "aws", "database"), 700.0..=702.0);
    let enterprise = ask(&format!("{SQL_SERVER} --database sqlserver-enterprise --provider aws"));
    within(paid(&enterprise, "aws", ""), 2_850.0..=3_250.0);
    within(paid(&enterprise, "aws", "database"), 2_189.0..=2_191.0);
}

#[test]
fn three_and_five_oracle() {
    let of = |provider| {
        ask(&format!(
            "--read 16000iops@8KiB --write 4000iops@8KiB --capacity 2TiB --memory 64GiB --vcpus 16 --database oracle-ee --no-arm --provider {provider}"
        ))
    };
    within(paid(&of("aws"), "aws", "database"), 17_500.0..=17_540.0);
    within(paid(&of("oci"), "oci", "database"), 8_750.0..=8_770.0);
    let se2 = |vcpus| {
        ask(&format!(
            "--read 5000iops@8KiB --capacity 1TiB --vcpus {vcpus} --database oracle-se2 --no-arm --provider aws"
        ))
    };
    assert!(se2(16)["found"][0]["answers"].as_array().unwrap().is_empty());
    within(paid(&se2(8), "aws", "database"), 1_613.0..=1_615.0);
}

#[test]
fn four_and_six_sql_server_on_azure() {
    let memory = |vcpus| {
        ask(&format!(
            "--read 16000iops@8KiB --write 4000iops@8KiB --capacity 2TiB --memory 512GiB --vcpus {vcpus} --os windows --database sqlserver-enterprise --provider azure"
        ))
    };
    let (few, all) = (memory(16), memory(64));
    within(paid(&all, "azure", "database") - paid(&few, "azure", "database"), 13_100.0..=13_180.0);
    let one = ask(&format!("{SQL_SERVER} --database sqlserver-enterprise --provider azure"));
    let two = ask(&format!("{SQL_SERVER} --database sqlserver-enterprise --provider azure --pair replica"));
    within(paid(&two, "azure", "") / paid(&one, "azure", ""), 1.2..=1.6);
    within(paid(&two, "azure", "database"), 2_189.0..=2_191.0);
}

#[test]
fn seven_and_eight_years() {
    let question = "--read 30000iops@8KiB --capacity 4TiB --memory 128GiB --provider gcp --machine n2-";
    let committed = ask(&format!("{question} --term 3y"));
    within(paid(&committed, "gcp", "machine") / paid(&ask(question), "gcp", "machine"), 0.449..=0.451);
    let growing = ask("--read 10000iops@8KiB --capacity 10TiB --growth 40% --years 3 --by-year");
    for plan in growing["plans"].as_array().unwrap() {
        let of = |key: &str| plan[key].as_f64().unwrap();
        within(of("total") / of("total_from_day_one"), 0.72..=0.80);
    }
}

#[test]
fn ten_backups_and_traffic() {
    let sizing = ask("--read 10000iops@8KiB --capacity 4TiB --memory 64GiB --backup 10TiB --egress 5000GiB");
    for (provider, backup, traffic) in [("aws", 512.0, 441.0), ("azure", 512.0, 426.0), ("oci", 261.0, 0.0)] {
        within(paid(&sizing, provider, "backup"), backup - 1.0..=backup + 1.0);
        within(paid(&sizing, provider, "traffic"), traffic - 1.0..=traffic + 1.0);
    }
}
