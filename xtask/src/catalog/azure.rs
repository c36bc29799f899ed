//! Azure: the answer of the retail price API, and pages of sizes of azure-compute-docs.

use serde_json::Value;

use super::offer::{Figure, Offer, Row, What};
use super::{azure_page, json};

pub(super) fn read(text: &str, region: &str) -> Result<Offer, String> {
    if text.trim_start().starts_with("---") || text.contains("| Size Name |") {
        return azure_page::read(text);
    }
    let value = json::parse(text)?;
    let items = json::list(&value, "Items").ok_or(
        "neither an answer of the retail price API (`Items`) nor a page of sizes (Markdown with `Size Name`)",
    )?;
    // The catalog has the name of people, «East US», the API the one of programs.
    let region = region.to_lowercase().replace(' ', "");
    let rows: Vec<Row> = items.iter().flat_map(|item| price(item, &region)).collect();
    if rows.is_empty() {
        return Err(format!("no price of {region}, pay as you go, that a catalog has is in it"));
    }
    // An answer is a page of a filter: what it lacks says nothing.
    Ok(Offer { as_of: None, rows, is_complete: false })
}

fn price(item: &Value, region: &str) -> Vec<Row> {
    let of = |key: &str| json::text(item, key);
    let Some(usd) = json::number(item, "retailPrice") else { return Vec::new() };
    if of("armRegionName") != region
        || of("type") != "Consumption"
        || usd <= 0.0
        || of("currencyCode") != "USD"
    {
        return Vec::new();
    }
    let level = |name: String, key: &str| {
        vec![Row { what: What::Level, name, figures: vec![Figure::new(&["price", key], usd)], whole: None }]
    };
    let (product, meter, sku) = (of("productName"), of("meterName"), of("skuName"));
    match of("serviceName") {
        "Virtual Machines" => {
            if product.contains("Windows") || sku.contains("Spot") || sku.contains("Low Priority") {
                return Vec::new();
            }
            // The same machine over another interface is a row of its own, at the same price.
            let names = [of("armSkuName").to_owned(), format!("{}/scsi", of("armSkuName"))];
            names.map(|name| Row::machine(&name, vec![Figure::new(&["price", "per_hour"], usd)])).to_vec()
        }
        "Storage" => {
            let kind = match product {
                "Premium SSD Managed Disks" => "premium-ssd",
                "Standard SSD Managed Disks" => "standard-ssd",
                "Standard HDD Managed Disks" => "standard-hdd",
                _ => return Vec::new(),
            };
            // «P30 LRS Disk» is the disk; «P30 LRS Disk Mount» and snapshots are something else.
            match meter.split(' ').collect::<Vec<_>>()[..] {
                [size, "LRS", "Disk"] if of("unitOfMeasure") == "1/Month" => {
                    level(format!("{kind} {size}"), "per_month")
                }
                _ => Vec::new(),
            }
        }
        "Azure NetApp Files" if of("unitOfMeasure") == "1 GiB/Hour" => match meter {
            "Standard Capacity" => level("netapp-files standard".to_owned(), "per_gib_hour"),
            "Premium Capacity" => level("netapp-files premium".to_owned(), "per_gib_hour"),
            "Ultra Capacity" => level("netapp-files ultra".to_owned(), "per_gib_hour"),
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}
