//! Small files in the layouts of the providers, against a small catalog with notes in it.

use super::document::{Change, Document};
use super::offer::family;
use super::read_offer;

const CATALOG: &str = r#"# A catalog of four providers in one.
format = "iotrial.catalog/1"
provider = "test"
region = "us-east-1"
currency = "USD"
hours_per_month = 730

[source.prices]
text = "price list"   # from a friend
as_of = "2025-01-01"

[source.limits]
text = "limits"
as_of = "2025-01-02"

[source.new]
text = "a page"
as_of = "undated"

# gp3 is what everybody takes.
[[volume]]
name = "gp3"
size_min_gib = 1
size_max_gib = 65536
iops_max = 3000
price = { per_gib_month = 0.08, per_iops_month = 0.005, per_mib_per_s_month = 0.04, source = "prices" }
source = "limits"

[[volume]]
name = "premium-ssd"
source = "limits"
# The most common one.
[[volume.level]]
name = "P30"
size_gib = 1024
iops_max = 5000
price = { per_month = 135.17, source = "prices" } # a month

[[volume]]
name = "hyperdisk-balanced"
iops_max = 1
price = { per_gib_hour = 0.000109589, per_iops_hour = 0.000006849, source = "prices" }
source = "limits"

[[volume]]
name = "block-volume"
iops_max = 1
price = { per_gib_month = 0.02, per_vpu_gib_month = 0.0017, source = "prices" }
source = "limits"

[[machine]]
name = "r6i.4xlarge"
vcpus = 16
memory_gib = 128
volumes_max = 26
network = { gbit_per_s = 6.25 }
# measured, and it holds
limit = [{ name = "EBS limit", iops = 20000, mb_per_s = 625, burst_iops = 40000, burst_mb_per_s = 1250 }]
price = { per_hour = 1.008, source = "prices" }
source = "limits"

[[machine]]
name = "r6i.old"
vcpus = 1
memory_gib = 1
limit = [{ name = "EBS limit", iops = 1, mb_per_s = 1 }]
price = { per_hour = 1, source = "prices" }
source = "limits"

[[machine]]
name = "Standard_E2s_v6"
vcpus = 2
memory_gib = 16
volumes_max = 8
network = { egress_gbit_per_s = 12.5 }
limit = [
  { name = "uncached, Premium SSD", volumes = ["premium-ssd"], iops = 3750, mb_per_s = 106, burst_iops = 40000, burst_mb_per_s = 1250 },
  { name = "uncached, Ultra and v2", volumes = ["gp3"], iops = 4000, mb_per_s = 124 }, # a note inside
]
price = { per_hour = 0.132, source = "prices" }
source = "limits"

[[machine]]
name = "c4d-standard-8"
vcpus = 8
memory_gib = 31
limit = [{ name = "x", iops = 1 }]
price = { per_hour = 0.37, source = "prices" }
source = "limits"

[[machine]]
name = "VM.Standard.E5.Flex"
vcpus = 1
memory_gib = 1
limit = [{ name = "x", iops = 1 }]
price = { per_ocpu_hour = 0.03, per_memory_gib_hour = 0.002, source = "prices" }
source = "limits"

# What a person found out, and no file says.
[[gap]]
text = "everything else"
source = "prices"
"#;

/// What a file changes in the catalog, and the catalog afterwards.
fn take(provider: &str, file: &str, region: &str, rows: Option<&str>) -> (Vec<String>, String) {
    let text = CATALOG.replace("us-east-1", region);
    let mut document = Document::parse(&text).unwrap();
    let offer = read_offer(provider, file, &document).unwrap();
    let changes = document.take(&offer, rows, offer.as_of.as_deref().or(Some("2026-11-23"))).unwrap();
    let shown =
        changes.iter().filter(|change| !matches!(change, Change::Unknown { .. })).map(ToString::to_string);
    (shown.collect(), document.text())
}

const OFFER: &str = r#"{
  "formatVersion": "v1.0", "publicationDate": "2026-11-20T00:11:22Z",
  "products": {
    "A": { "sku": "A", "productFamily": "Compute Instance", "attributes": { "regionCode": "us-east-1", "instanceType": "r6i.4xlarge", "operatingSystem": "Linux", "tenancy": "Shared", "preInstalledSw": "NA", "capacitystatus": "Used" } },
    "B": { "sku": "B", "productFamily": "Compute Instance", "attributes": { "regionCode": "us-east-1", "instanceType": "r6i.4xlarge", "operatingSystem": "Windows", "tenancy": "Shared", "preInstalledSw": "NA", "capacitystatus": "Used" } },
    "C": { "sku": "C", "productFamily": "Compute Instance", "attributes": { "regionCode": "eu-west-1", "instanceType": "r6i.4xlarge", "operatingSystem": "Linux", "tenancy": "Shared", "preInstalledSw": "NA", "capacitystatus": "Used" } },
    "D": { "sku": "D", "productFamily": "Storage", "attributes": { "regionCode": "us-east-1", "volumeApiName": "gp3" } },
    "E": { "sku": "E", "productFamily": "Provisioned Throughput", "attributes": { "regionCode": "us-east-1", "volumeApiName": "gp3" } }
  },
  "terms": { "OnDemand": {
    "A": { "A.J": { "priceDimensions": { "A.J.6": { "unit": "Hrs", "pricePerUnit": { "USD": "1.1000000000" } } } } },
    "B": { "B.J": { "priceDimensions": { "B.J.6": { "unit": "Hrs", "pricePerUnit": { "USD": "1.8360000000" } } } } },
    "C": { "C.J": { "priceDimensions": { "C.J.6": { "unit": "Hrs", "pricePerUnit": { "USD": "1.2000000000" } } } } },
    "D": { "D.J": { "priceDimensions": { "D.J.6": { "unit": "GB-Mo", "pricePerUnit": { "USD": "0.0800000000" } } } } },
    "E": { "E.J": { "priceDimensions": { "E.J.6": { "unit": "GiBps-mo", "pricePerUnit": { "USD": "40.9600000000" } } } } }
  } }
}"#;

#[test]
fn an_offer_file_of_aws_changes_prices_and_nothing_else() {
    let (changes, text) = take("aws", OFFER, "us-east-1", None);
    assert_eq!(
        changes,
        ["changed  r6i.4xlarge  price.per_hour  1.008 → 1.1", "gone     r6i.old (not in the file; it stays)"]
    );
    let expected = CATALOG.replace("per_hour = 1.008", "per_hour = 1.1").replace("2025-01-01", "2026-11-20");
    assert_eq!(text, expected, "comments, order and spaces are as they were");
}

#[test]
fn the_csv_of_an_offer_file_says_the_same_as_its_json() {
    let file = "\"FormatVersion\",\"v1.0\"\n\"Disclaimer\",\"none\"\n\"Publication Date\",\"2026-11-20T00:11:22Z\"\n\"Version\",\"1\"\n\"OfferCode\",\"AmazonEC2\"\n\
        \"SKU\",\"TermType\",\"Unit\",\"PricePerUnit\",\"Product Family\",\"Instance Type\",\"Operating System\",\"Tenancy\",\"CapacityStatus\",\"Pre Installed S/W\",\"Volume API Name\",\"Group\",\"Region Code\"\n\
        \"A\",\"OnDemand\",\"Hrs\",\"1.1\",\"Compute Instance\",\"r6i.4xlarge\",\"Linux\",\"Shared\",\"Used\",\"NA\",\"\",\"\",\"us-east-1\"\n\
        \"A\",\"Reserved\",\"Hrs\",\"0.7\",\"Compute Instance\",\"r6i.4xlarge\",\"Linux\",\"Shared\",\"Used\",\"NA\",\"\",\"\",\"us-east-1\"\n\
        \"D\",\"OnDemand\",\"GB-Mo\",\"0.08\",\"Storage\",\"\",\"\",\"\",\"\",\"\",\"gp3\",\"\",\"us-east-1\"\n";
    assert_eq!(take("aws", file, "us-east-1", None), take("aws", OFFER, "us-east-1", None));
}

#[test]
fn instance_types_of_aws_become_rows_where_they_are_wanted() {
    let file = r#"{ "InstanceTypes": [
      { "InstanceType": "r6i.4xlarge", "VCpuInfo": { "DefaultVCpus": 16 }, "MemoryInfo": { "SizeInMiB": 131072 },
        "EbsInfo": { "AttachmentLimitType": "shared", "MaximumEbsAttachments": 28, "EbsOptimizedInfo": { "BaselineIops": 24000, "BaselineThroughputInMBps": 625.0, "MaximumIops": 40000, "MaximumThroughputInMBps": 1250.0 } } },
      { "InstanceType": "i8g.4xlarge", "VCpuInfo": { "DefaultVCpus": 16 }, "MemoryInfo": { "SizeInMiB": 131072 }, "ProcessorInfo": { "SupportedArchitectures": ["arm64"] },
        "NetworkInfo": { "NetworkCards": [{ "BaselineBandwidthInGbps": 9.375 }] },
        "EbsInfo": { "AttachmentLimitType": "dedicated", "MaximumEbsAttachments": 32, "EbsOptimizedInfo": { "BaselineIops": 20000, "BaselineThroughputInMBps": 625.0, "MaximumIops": 40000, "MaximumThroughputInMBps": 1250.0 } } }
    ] }"#;
    let (changes, text) = take("aws", file, "us-east-1", Some("new"));
    assert_eq!(
        changes,
        ["changed  r6i.4xlarge  limit.EBS limit.iops  20000 → 24000", "added    i8g.4xlarge"]
    );
    assert!(text.contains("iops = 24000, mb_per_s = 625, burst_iops"), "{text}");
    let row = "[[machine]]\nname = \"i8g.4xlarge\"\nvcpus = 16\nmemory_gib = 128\nvolumes_max = 31\narm = true\n\
               network = { gbit_per_s = 9.375 }\n\
               limit = [{ name = \"EBS limit\", iops = 20000, mb_per_s = 625, burst_iops = 40000, burst_mb_per_s = 1250 }]\n\
               source = \"new\"\n";
    // Behind the last machine, and before what follows it with its note.
    let (place, note) = (text.find(row).unwrap(), text.find("# What a person found out").unwrap());
    assert!(text.find("VM.Standard.E5.Flex").unwrap() < place && place < note, "{text}");
    assert!(text.contains("[source.new]\ntext = \"a page\"\nas_of = \"2026-11-23\"\n"), "{text}");
    let (changes, text) = take("aws", file, "us-east-1", None);
    assert_eq!(changes.len(), 1, "only with --rows");
    assert!(!text.contains("i8g"));
}

#[test]
fn retail_prices_of_azure_are_those_of_linux_on_demand_in_the_region() {
    let item = |service: &str,
                product: &str,
                sku: &str,
                meter: &str,
                arm: &str,
                unit: &str,
                usd: f64,
                kind: &str| {
        format!(
            "{{ \"currencyCode\": \"USD\", \"retailPrice\": {usd}, \"armRegionName\": \"eastus\", \"serviceName\": \"{service}\", \"productName\": \"{product}\", \"skuName\": \"{sku}\", \"meterName\": \"{meter}\", \"armSkuName\": \"{arm}\", \"unitOfMeasure\": \"{unit}\", \"type\": \"{kind}\" }}"
        )
    };
    let vm = |product: &str, sku: &str, usd: f64, kind: &str| {
        item("Virtual Machines", product, sku, "E2s v6", "Standard_E2s_v6", "1 Hour", usd, kind)
    };
    let items = [
        vm("Virtual Machines Esv6 Series Windows", "E2s v6", 0.224, "Consumption"),
        vm("Virtual Machines Esv6 Series", "E2s v6 Spot", 0.02, "Consumption"),
        vm("Virtual Machines Esv6 Series", "E2s v6", 700.0, "Reservation"),
        vm("Virtual Machines Esv6 Series", "E2s v6", 0.14, "Consumption"),
        item(
            "Storage",
            "Premium SSD Managed Disks",
            "P30 LRS",
            "P30 LRS Disk",
            "",
            "1/Month",
            140.0,
            "Consumption",
        ),
        item(
            "Storage",
            "Premium SSD Managed Disks",
            "P30 LRS",
            "P30 LRS Disk Mount",
            "",
            "1/Month",
            7.0,
            "Consumption",
        ),
    ];
    let file = format!("{{ \"Items\": [{}], \"Count\": 6 }}", items.join(","));
    let (changes, text) = take("azure", &file, "East US", None);
    assert_eq!(
        changes,
        [
            "changed  Standard_E2s_v6  price.per_hour  0.132 → 0.14",
            "changed  premium-ssd P30  price.per_month  135.17 → 140",
        ]
    );
    assert!(text.contains("price = { per_month = 140, source = \"prices\" } # a month\n"), "{text}");
}

const PAGE: &str = "---\ntitle: Esv6\nms.date: 03/10/2026\n---\n\n\
    | Size Name | vCPUs (Qty.) | Memory (GB) |\n| --- | --- | --- |\n| Standard_E2s_v6 | 2 | 16 |\n| Standard_E4s_v6 | 4 | 32 |\n\n\
    | Size Name | Max Remote Storage Disks (Qty.) | Uncached Premium SSD IOPS | Uncached Premium SSD Throughput (MB/s) | Uncached Premium SSD Burst<sup>1</sup> IOPS | Uncached Premium SSD Burst<sup>1</sup> Throughput (MB/s) | Uncached Ultra Disk and Premium SSD v2 IOPS | Uncached Ultra Disk and Premium SSD v2 Throughput (MB/s) |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n\
    | Standard_E2s_v6 | 8 | 3,750 | 106 | 40000 | 1250 | 4167 | 124 |\n| Standard_E4s_v6 | 12 | 6,400 | 212 | 40000 | 1250 | 8333 | 248 |\n\n\
    | Size Name | Max NICs (Qty.) | Max Network Bandwidth (Mb/s) |\n| --- | --- | --- |\n| Standard_E2s_v6 | 2 | 12500 |\n| Standard_E4s_v6 | 2 | 12500 |\n";

#[test]
fn tables_of_the_azure_docs_are_put_together_by_size() {
    let (changes, text) = take("azure", PAGE, "East US", Some("new"));
    assert_eq!(
        changes,
        [
            "changed  Standard_E2s_v6  limit.uncached, Ultra and v2.iops  4000 → 4167",
            "added    Standard_E4s_v6",
        ]
    );
    assert!(text.contains("iops = 4167, mb_per_s = 124 }, # a note inside"), "{text}");
    assert!(
        text.contains("iops = 6400, mb_per_s = 212, burst_iops = 40000, burst_mb_per_s = 1250 },"),
        "{text}"
    );
    assert!(text.contains("as_of = \"2026-03-10\""), "{text}");
}

#[test]
fn skus_of_google_are_put_together_to_machines() {
    let sku = |description: &str, usage: &str, units: u32, nanos: u64| {
        format!(
            "{{ \"description\": \"{description}\", \"category\": {{ \"usageType\": \"{usage}\" }}, \"serviceRegions\": [\"us-central1\"], \"pricingInfo\": [{{ \"effectiveTime\": \"2026-11-19T01:02:03Z\", \"pricingExpression\": {{ \"tieredRates\": [{{ \"unitPrice\": {{ \"units\": \"{units}\", \"nanos\": {nanos} }} }}] }} }}] }}"
        )
    };
    let skus = [
        sku("C4D Instance Core running in Americas", "OnDemand", 0, 33_000_000),
        sku("C4D Instance Ram running in Americas", "OnDemand", 0, 4_000_000),
        sku("Spot Preemptible C4D Instance Core running in Americas", "Preemptible", 0, 7_000_000),
        sku("Hyperdisk Balanced Capacity in Iowa", "OnDemand", 0, 80_000_000),
        sku("Hyperdisk Balanced IOPS in Iowa", "OnDemand", 0, 6_000_000),
    ];
    let (changes, text) = take("gcp", &format!("{{ \"skus\": [{}] }}", skus.join(",")), "us-central1", None);
    // 8 × 0.033 + 31 × 0.004; 0.08 a month are 0.000109589 an hour, and 0.006 are 0.0000082.
    assert_eq!(
        changes,
        [
            "changed  hyperdisk-balanced  price.per_iops_hour  0.000006849 → 0.000008219178082",
            "changed  c4d-standard-8  price.per_hour  0.37 → 0.388",
        ]
    );
    assert!(text.contains("as_of = \"2026-11-19\""), "{text}");
}

#[test]
fn the_price_list_of_oci_is_read_by_part_number() {
    let part = |number: &str, prices: &str| {
        format!(
            "{{ \"partNumber\": \"{number}\", \"currencyCodeLocalizations\": [{{ \"currencyCode\": \"USD\", \"prices\": [{prices}] }}] }}"
        )
    };
    let paid = |usd: f64| format!("{{ \"model\": \"PAY_AS_YOU_GO\", \"value\": {usd} }}");
    let items = [
        part("B97384", &format!("{}, {}", paid(0.0), paid(0.031))),
        part("B91961", &paid(0.0255)),
        part("B99999", &paid(5.0)),
    ];
    let file = format!("{{ \"lastUpdated\": \"2026-11-01T00:00:00\", \"items\": [{}] }}", items.join(","));
    let (changes, _) = take("oci", &file, "all", None);
    assert_eq!(
        changes,
        [
            "changed  VM.Standard.E5.Flex  price.per_ocpu_hour  0.03 → 0.031",
            "changed  block-volume  price.per_gib_month  0.02 → 0.0255",
        ]
    );
}

#[test]
fn garbage_is_refused_with_what_was_expected() {
    let document = Document::parse(CATALOG).unwrap();
    let check = |provider: &str, file: &str, expected: &str| {
        let error = read_offer(provider, file, &document).unwrap_err();
        assert!(error.contains(expected), "{provider}: {error}");
    };
    check("aws", "\u{0}\u{1}", "neither JSON nor another layout");
    check("aws", "[1, 2]", "neither an offer file of the AWS Price List");
    check("aws", "{ \"products\": {}, \"terms\": { \"OnDemand\": {} } }", "no price on demand of us-east-1");
    check("aws", "{ \"InstanceTypes\": [{ \"InstanceType\": \"a\" }] }", "no instance type with `EbsInfo");
    check("aws", "\"FormatVersion\",\"v1\"\na\nb\nc\nd\n\"SKU\"\n", "without the column `TermType`");
    check("azure", "{}", "neither an answer of the retail price API");
    check("azure", "{ \"Items\": [{ \"retailPrice\": \"x\" }] }", "no price of us-east-1");
    check("azure", "---\nno table\n", "without a table that begins with `Size Name`");
    check("azure", &PAGE.replace("| 3,750 |", "| many |"), "`many` of Standard_E2s_v6 is no number");
    check("azure", &PAGE.replace("| 3,750 |", "|"), "7 cells under 8 headings");
    check("gcp", "{ \"skus\": 3 }", "no list `skus`");
    check("oci", "{ \"items\": [] }", "none of the part numbers");
    check("ibm", "{}", "nothing is known of the files of `ibm`");
    assert!(Document::parse("format = \"x\"").is_err_and(|error| error.contains("not a catalog")));
    let mut document = Document::parse(CATALOG).unwrap();
    let offer = read_offer("aws", OFFER, &document).unwrap();
    assert!(
        document.take(&offer, Some("nobody"), None).is_err_and(|error| error.contains("no [source.nobody]"))
    );
}

#[test]
fn families_are_names_without_their_sizes() {
    assert_eq!(family("r6i.4xlarge"), "r6i");
    assert_eq!(family("Standard_E16ds_v5"), family("Standard_E104ids_v5").replace('i', ""));
    assert_eq!(family("Standard_E16bds_v5/scsi"), "Standard_E#bds_v5");
    assert_ne!(family("Standard_E16ds_v5"), family("Standard_E16ds_v6"));
}

/// The catalogs that are part of the program are read and written back without a change.
#[test]
fn catalogs_are_kept_to_the_last_byte() {
    let root = crate::workspace::root().unwrap();
    for provider in ["aws", "azure", "gcp", "oci"] {
        let text = std::fs::read_to_string(root.join(format!("catalogs/{provider}.toml"))).unwrap();
        assert!(Document::parse(&text).unwrap().text() == text, "{provider}");
    }
}
