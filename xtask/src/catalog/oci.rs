//! OCI: the price list by part number. A shape is paid by its cores and its memory.

use serde_json::Value;

use super::json;
use super::offer::{Figure, Offer, Row, What};

/// Part number, machines that are paid by it (all whose names begin so), and the figure.
const MACHINES: [(&str, &[&str], &str); 16] = [
    ("B92306", &["VM.Standard.E3.Flex", "BM.Standard.E3.128"], "per_ocpu_hour"),
    ("B92307", &["VM.Standard.E3.Flex", "BM.Standard.E3.128"], "per_memory_gib_hour"),
    ("B93113", &["VM.Standard.E4.Flex", "BM.Standard.E4.128"], "per_ocpu_hour"),
    ("B93114", &["VM.Standard.E4.Flex", "BM.Standard.E4.128"], "per_memory_gib_hour"),
    ("B97384", &["VM.Standard.E5.Flex", "BM.Standard.E5.192"], "per_ocpu_hour"),
    ("B97385", &["VM.Standard.E5.Flex", "BM.Standard.E5.192"], "per_memory_gib_hour"),
    ("B111129", &["VM.Standard.E6.Flex"], "per_ocpu_hour"),
    ("B111130", &["VM.Standard.E6.Flex"], "per_memory_gib_hour"),
    ("B94176", &["VM.Standard3.Flex", "BM.Standard3.64"], "per_ocpu_hour"),
    ("B94177", &["VM.Standard3.Flex", "BM.Standard3.64"], "per_memory_gib_hour"),
    ("B93311", &["VM.Optimized3.Flex", "BM.Optimized3.36"], "per_ocpu_hour"),
    ("B93312", &["VM.Optimized3.Flex", "BM.Optimized3.36"], "per_memory_gib_hour"),
    ("B93121", &DENSE_E4, "per_ocpu_hour"),
    ("B93122", &DENSE_E4, "per_memory_gib_hour"),
    ("B98202", &DENSE_E5, "per_ocpu_hour"),
    ("B98203", &DENSE_E5, "per_memory_gib_hour"),
];
const DENSE_E4: [&str; 3] = ["VM.DenseIO.E4.Flex.8", "VM.DenseIO.E4.Flex.16", "VM.DenseIO.E4.Flex.32"];
const DENSE_E5: [&str; 6] = [
    "VM.DenseIO.E5.Flex.8",
    "VM.DenseIO.E5.Flex.16",
    "VM.DenseIO.E5.Flex.24",
    "VM.DenseIO.E5.Flex.32",
    "VM.DenseIO.E5.Flex.40",
    "VM.DenseIO.E5.Flex.48",
];
const VOLUMES: [(&str, &str, &str); 2] =
    [("B91961", "block-volume", "per_gib_month"), ("B91962", "block-volume", "per_vpu_gib_month")];

pub(super) fn read(text: &str) -> Result<Offer, String> {
    let value = json::parse(text)?;
    let items = json::list(&value, "items").ok_or("no list `items` of the price list of OCI is in it")?;
    let mut rows = Vec::new();
    for item in items {
        let part = json::text(item, "partNumber");
        let Some(usd) = pay_as_you_go(item) else { continue };
        for (_, names, key) in MACHINES.iter().filter(|(number, ..)| *number == part) {
            rows.extend(names.iter().map(|name| Row::machine(name, vec![Figure::new(&["price", key], usd)])));
        }
        for (_, name, key) in VOLUMES.iter().filter(|(number, ..)| *number == part) {
            let figures = vec![Figure::new(&["price", key], usd)];
            rows.push(Row { what: What::Volume, name: (*name).to_owned(), figures, whole: None });
        }
    }
    if rows.is_empty() {
        return Err("none of the part numbers that the catalog has is in it with a price in USD".to_owned());
    }
    Ok(Offer { as_of: json::day(json::text(&value, "lastUpdated")), rows, is_complete: false })
}

/// In USD. Where amounts are graded the last one counts: the first ones are free.
fn pay_as_you_go(item: &Value) -> Option<f64> {
    let currencies = json::list(item, "currencyCodeLocalizations")?;
    let usd = currencies.iter().find(|one| json::text(one, "currencyCode") == "USD")?;
    let prices = json::list(usd, "prices")?;
    prices
        .iter()
        .rev()
        .find(|price| json::text(price, "model") == "PAY_AS_YOU_GO")
        .and_then(|price| json::number(price, "value"))
}
