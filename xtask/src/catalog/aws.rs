//! AWS: the offer file of the Price List in JSON or CSV, and the answer of `DescribeInstanceTypes`.

use std::collections::BTreeMap;

use serde_json::Value;

use super::json;
use super::offer::{Figure, Offer, Row, What, number};

pub(super) fn read(text: &str, region: &str) -> Result<Offer, String> {
    if text.trim_start().starts_with("\"FormatVersion\"") {
        return price_table(text, region);
    }
    let value = json::parse(text)?;
    if value.get("products").is_some() && value.get("terms").is_some() {
        return price_list(&value, region);
    }
    if let Some(types) = json::list(&value, "InstanceTypes") {
        return instance_types(types);
    }
    Err("neither an offer file of the AWS Price List (`products` and `terms`, or the CSV of it) nor `InstanceTypes`".to_owned())
}

/// What a line of either layout says of a price.
struct Line<'l> {
    of: &'l dyn Fn(&str) -> String,
    unit: String,
    usd: f64,
}

impl Line<'_> {
    /// The figure of a catalog that it is; `None` for what no catalog has: other systems, dedicated hosts, other regions.
    fn row(&self, region: &str) -> Option<Row> {
        let of = |key: &str| (self.of)(key);
        if of("regionCode") != region || self.usd <= 0.0 {
            return None;
        }
        let volume = of("volumeApiName");
        let price = |key: &str, usd: f64| Row {
            what: What::Volume,
            name: volume.clone(),
            figures: vec![Figure::new(&["price", key], usd)],
            whole: None,
        };
        match of("productFamily").as_str() {
            // Linux, no software on it, shared hardware, running rather than reserved for a reservation.
            "Compute Instance"
                if of("operatingSystem") == "Linux"
                    && of("tenancy") == "Shared"
                    && of("preInstalledSw") == "NA"
                    && of("capacitystatus") == "Used" =>
            {
                Some(Row::machine(&of("instanceType"), vec![Figure::new(&["price", "per_hour"], self.usd)]))
            }
            "Storage" if self.unit == "GB-Mo" && !volume.is_empty() => Some(price("per_gib_month", self.usd)),
            // The first tier; io2's others stand in `iops_above`, which a person keeps.
            "System Operation" if self.unit == "IOPS-Mo" && !of("group").contains("Tier") => {
                Some(price("per_iops_month", self.usd))
            }
            "Provisioned Throughput" if self.unit == "GiBps-mo" => {
                Some(price("per_mib_per_s_month", self.usd / 1024.0))
            }
            "Provisioned Throughput" if self.unit == "MiBps-Mo" => {
                Some(price("per_mib_per_s_month", self.usd))
            }
            _ => None,
        }
    }
}

fn price_list(value: &Value, region: &str) -> Result<Offer, String> {
    let products = value.get("products").and_then(Value::as_object).ok_or("`products` is no object")?;
    let terms =
        value.pointer("/terms/OnDemand").and_then(Value::as_object).ok_or("`terms.OnDemand` is missing")?;
    let mut rows = Vec::new();
    for (sku, product) in products {
        let attributes = product.get("attributes").unwrap_or(&Value::Null);
        let of = |key: &str| match key {
            "productFamily" => json::text(product, key).to_owned(),
            _ => json::text(attributes, key).to_owned(),
        };
        let offers = terms.get(sku).and_then(Value::as_object).into_iter().flat_map(|offers| offers.values());
        let dimensions =
            offers.filter_map(|offer| offer.get("priceDimensions")?.as_object()).flat_map(|all| all.values());
        for dimension in dimensions {
            let usd =
                dimension.get("pricePerUnit").and_then(|price| json::number(price, "USD")).unwrap_or(0.0);
            rows.extend(Line { of: &of, unit: json::text(dimension, "unit").to_owned(), usd }.row(region));
        }
    }
    offer(rows, json::day(json::text(value, "publicationDate")), region)
}

/// The CSV has five lines about itself before the header.
fn price_table(text: &str, region: &str) -> Result<Offer, String> {
    let about = text.lines().take(5);
    let published = about.clone().find_map(|line| line.strip_prefix("\"Publication Date\","));
    let as_of = published.and_then(|moment| json::day(moment.trim_matches('"')));
    let start: usize = text.split_inclusive('\n').take(5).map(str::len).sum();
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(text[start..].as_bytes());
    let headers = reader.headers().map_err(|error| error.to_string())?.clone();
    let place = |name: &str| headers.iter().position(|header| header == name);
    let needed = ["TermType", "Unit", "PricePerUnit", "Product Family", "Region Code"];
    if let Some(missing) = needed.into_iter().find(|name| place(name).is_none()) {
        return Err(format!("an offer file without the column `{missing}`"));
    }
    let names: BTreeMap<&str, &str> = [
        ("regionCode", "Region Code"),
        ("productFamily", "Product Family"),
        ("volumeApiName", "Volume API Name"),
        ("operatingSystem", "Operating System"),
        ("tenancy", "Tenancy"),
        ("preInstalledSw", "Pre Installed S/W"),
        ("capacitystatus", "CapacityStatus"),
        ("instanceType", "Instance Type"),
        ("group", "Group"),
    ]
    .into();
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| error.to_string())?;
        let cell =
            |name: &str| place(name).and_then(|place| record.get(place)).unwrap_or_default().to_owned();
        if cell("TermType") == "OnDemand" {
            let of = |key: &str| names.get(key).map(|name| cell(name)).unwrap_or_default();
            let usd = cell("PricePerUnit").parse().unwrap_or(0.0);
            rows.extend(Line { of: &of, unit: cell("Unit"), usd }.row(region));
        }
    }
    offer(rows, as_of, region)
}

fn offer(rows: Vec<Row>, as_of: Option<String>, region: &str) -> Result<Offer, String> {
    if rows.is_empty() {
        return Err(format!("no price on demand of {region} in USD is in it"));
    }
    Ok(Offer { as_of, rows, is_complete: true })
}

fn instance_types(types: &[Value]) -> Result<Offer, String> {
    let rows: Vec<Row> = types.iter().filter_map(instance_type).collect();
    if rows.is_empty() {
        return Err("no instance type with `EbsInfo.EbsOptimizedInfo` is in it".to_owned());
    }
    Ok(Offer { as_of: None, rows, is_complete: false })
}

fn instance_type(one: &Value) -> Option<Row> {
    let name = json::text(one, "InstanceType");
    let at = |path: &str| one.pointer(path).and_then(Value::as_f64);
    let (vcpus, memory) = (at("/VCpuInfo/DefaultVCpus")?, at("/MemoryInfo/SizeInMiB")? / 1024.0);
    let ebs = one.pointer("/EbsInfo/EbsOptimizedInfo")?;
    let (iops, throughput) =
        (json::number(ebs, "BaselineIops")?, json::number(ebs, "BaselineThroughputInMBps")?);
    let most = (json::number(ebs, "MaximumIops")?, json::number(ebs, "MaximumThroughputInMBps")?);
    // A shared limit of 28 counts interfaces and instance stores as well; the volume that it starts from takes one of either.
    let attachments = at("/EbsInfo/MaximumEbsAttachments")?;
    let is_dedicated =
        one.pointer("/EbsInfo/AttachmentLimitType").and_then(Value::as_str) == Some("dedicated");
    let disks = one.pointer("/InstanceStorageInfo/Disks").and_then(Value::as_array);
    let local: f64 = disks.into_iter().flatten().filter_map(|disk| json::number(disk, "Count")).sum();
    let volumes = if is_dedicated { attachments - 1.0 } else { 28.0 - 2.0 - local };
    let cards = one.pointer("/NetworkInfo/NetworkCards").and_then(Value::as_array);
    let network: f64 =
        cards.into_iter().flatten().filter_map(|card| json::number(card, "BaselineBandwidthInGbps")).sum();
    let is_arm =
        one.pointer("/ProcessorInfo/SupportedArchitectures/0").and_then(Value::as_str) == Some("arm64");
    let mut figures = vec![
        Figure::new(&["vcpus"], vcpus),
        Figure::new(&["memory_gib"], memory),
        Figure::new(&["volumes_max"], volumes),
        Figure::new(&["limit", "EBS limit", "iops"], iops),
        Figure::new(&["limit", "EBS limit", "mb_per_s"], throughput),
    ];
    let mut limit =
        format!("name = \"EBS limit\", iops = {}, mb_per_s = {}", number(iops), number(throughput));
    for (key, most, base) in [("burst_iops", most.0, iops), ("burst_mb_per_s", most.1, throughput)] {
        if most > base {
            figures.push(Figure::new(&["limit", "EBS limit", key], most));
            limit.push_str(&format!(", {key} = {}", number(most)));
        }
    }
    let mut whole = format!(
        "name = \"{name}\"\nvcpus = {}\nmemory_gib = {}\nvolumes_max = {}\n",
        number(vcpus),
        number(memory),
        number(volumes)
    );
    if is_arm {
        whole.push_str("arm = true\n");
    }
    if network > 0.0 {
        whole.push_str(&format!("network = {{ gbit_per_s = {} }}\n", number(network)));
    }
    whole.push_str(&format!("limit = [{{ {limit} }}]\n"));
    Some(Row { whole: Some(whole), ..Row::machine(name, figures) })
}
