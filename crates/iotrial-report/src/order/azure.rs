//! Azure VMs with managed disks or NetApp Files. The forms ask for GiB, IOPS and MB/s of 10^6 bytes.

use std::fmt::Write as _;

use super::hcl::{asked, number, provider, quoted, resource, word};
use super::{MB, NoOrder, Order, Part, shell, whole};

/// What a kind of volume is in Azure's words.
enum Kind {
    /// A managed disk of this SKU.
    Disk(&'static str),
    /// A volume of a capacity pool.
    Files,
}

fn kind(order: &Order<'_>, part: &Part<'_>) -> Result<Kind, NoOrder> {
    Ok(match part.pool.volume.as_str() {
        "premium-ssd" => Kind::Disk("Premium_LRS"),
        "premium-ssd-v2" => Kind::Disk("PremiumV2_LRS"),
        "ultra-disk" => Kind::Disk("UltraSSD_LRS"),
        "standard-ssd" => Kind::Disk("StandardSSD_LRS"),
        "standard-hdd" => Kind::Disk("Standard_LRS"),
        "netapp-files" => Kind::Files,
        _ => return Err(order.unknown(part.pool)),
    })
}

/// Whether IOPS and MB/s are bought apart from the size.
fn is_bought(part: &Part<'_>) -> bool {
    ["premium-ssd-v2", "ultra-disk"].contains(&part.pool.volume.as_str())
}

fn iops(part: &Part<'_>) -> Option<String> {
    part.pool.iops.filter(|_| is_bought(part)).map(|one| whole(one, 1.0))
}

fn throughput(part: &Part<'_>) -> Option<String> {
    part.pool.bandwidth.filter(|one| one.is_finite() && is_bought(part)).map(|one| whole(one, MB))
}

/// `Standard` with a capital: the words of the API are those of the portal.
fn service_level(level: &str) -> String {
    let mut letters = level.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// What a capacity pool holds: whole TiB.
fn pool_tib(part: &Part<'_>) -> u64 {
    (part.pool.size_gib * u64::from(part.pool.count)).div_ceil(1024).max(1)
}

pub(super) fn terraform(order: &Order<'_>) -> Result<String, NoOrder> {
    let mut text = String::new();
    provider(&mut text, "azurerm", "hashicorp/azurerm");
    text.push_str("provider \"azurerm\" {\n  features {}\n}\n\n");
    word(&mut text, "name", "Name of the machine and prefix of its disks", "database");
    word(&mut text, "region", "Region", "eastus");
    word(&mut text, "zone", "Availability zone; disks are in the zone of the machine", "1");
    word(&mut text, "machine", "VM size", order.machine());
    asked(&mut text, "group", "Resource group");
    asked(&mut text, "subnet", "Id of the subnet");
    word(&mut text, "admin", "Name of the administrator", "dba");
    if order.is_windows() {
        asked(&mut text, "password", "Password of the administrator");
    } else {
        asked(&mut text, "public_key", "SSH key of the administrator");
    }
    let mut has_files = false;
    for part in &order.parts {
        let name = &part.name;
        has_files |= matches!(kind(order, part)?, Kind::Files);
        number(&mut text, &format!("{name}_volumes"), "Number of volumes", &part.pool.count.to_string());
        number(&mut text, &format!("{name}_size_gib"), "Size of each, GiB", &part.pool.size_gib.to_string());
        if let Some(iops) = iops(part) {
            number(&mut text, &format!("{name}_iops"), "IOPS of each", &iops);
        }
        if let Some(throughput) = throughput(part) {
            number(&mut text, &format!("{name}_throughput_mb"), "Throughput of each, MB/s", &throughput);
        }
    }
    if has_files {
        asked(&mut text, "files_subnet", "Id of the subnet that is delegated to Microsoft.NetApp/volumes");
    }
    resource(&mut text, "azurerm_network_interface", "machine", &[
        ("name", "\"${var.name}-nic\"".to_owned()),
        ("location", "var.region".to_owned()),
        ("resource_group_name", "var.group".to_owned()),
        ("accelerated_networking_enabled", "true".to_owned()),
        (
            "ip_configuration {",
            "name                          = \"internal\"\nsubnet_id                     = var.subnet\nprivate_ip_address_allocation = \"Dynamic\"\n"
                .to_owned(),
        ),
    ]);
    machine(&mut text, order);
    for part in &order.parts {
        match kind(order, part)? {
            Kind::Disk(sku) => disks(&mut text, order, part, sku),
            Kind::Files => files(&mut text, part),
        }
    }
    Ok(text.trim_end().to_owned() + "\n")
}

fn machine(text: &mut String, order: &Order<'_>) {
    let kind =
        if order.is_windows() { "azurerm_windows_virtual_machine" } else { "azurerm_linux_virtual_machine" };
    let mut lines = vec![
        ("name", "var.name".to_owned()),
        ("location", "var.region".to_owned()),
        ("resource_group_name", "var.group".to_owned()),
        ("zone", "var.zone".to_owned()),
        ("size", "var.machine".to_owned()),
        ("network_interface_ids", "[azurerm_network_interface.machine.id]".to_owned()),
        ("admin_username", "var.admin".to_owned()),
    ];
    // Ebdsv5 and Ebsv5 have other limits over each interface; what follows a `/` in a catalog says which was sized.
    if order.configuration.machine.ends_with("/scsi") {
        lines.push(("disk_controller_type", "\"SCSI\"".to_owned()));
    }
    if order.is_windows() {
        lines.push(("admin_password", "var.password".to_owned()));
    } else {
        lines.push(("admin_ssh_key {", "username   = var.admin\npublic_key = var.public_key\n".to_owned()));
    }
    if order.parts.iter().any(|part| part.pool.volume == "ultra-disk") {
        lines.push(("additional_capabilities {", "ultra_ssd_enabled = true\n".to_owned()));
    }
    lines.push((
        "os_disk {",
        "caching              = \"ReadWrite\"\nstorage_account_type = \"Premium_LRS\"\n".to_owned(),
    ));
    let image = if order.is_windows() {
        "publisher = \"MicrosoftWindowsServer\"\noffer     = \"WindowsServer\"\nsku       = \"2022-datacenter-azure-edition\"\nversion   = \"latest\"\n"
    } else {
        "publisher = \"Debian\"\noffer     = \"debian-12\"\nsku       = \"12-gen2\"\nversion   = \"latest\"\n"
    };
    lines.push(("source_image_reference {", image.to_owned()));
    resource(text, kind, "machine", &lines);
}

fn disks(text: &mut String, order: &Order<'_>, part: &Part<'_>, sku: &str) {
    let name = &part.name;
    let mut lines = vec![
        ("count", format!("var.{name}_volumes")),
        ("name", format!("\"${{var.name}}-{name}-${{count.index + 1}}\"")),
        ("location", "var.region".to_owned()),
        ("resource_group_name", "var.group".to_owned()),
        ("zone", "var.zone".to_owned()),
        ("create_option", "\"Empty\"".to_owned()),
        ("storage_account_type", format!("\"{sku}\"")),
        ("disk_size_gb", format!("var.{name}_size_gib")),
    ];
    if sku == "Premium_LRS" && !part.pool.level.is_empty() {
        lines.push(("tier", quoted(&part.pool.level)));
    }
    if iops(part).is_some() {
        lines.push(("disk_iops_read_write", format!("var.{name}_iops")));
    }
    if throughput(part).is_some() {
        lines.push(("disk_mbps_read_write", format!("var.{name}_throughput_mb")));
    }
    resource(text, "azurerm_managed_disk", name, &lines);
    let machine =
        if order.is_windows() { "azurerm_windows_virtual_machine" } else { "azurerm_linux_virtual_machine" };
    let before = order.before(name);
    let lun = if before == 0 { "count.index".to_owned() } else { format!("{before} + count.index") };
    resource(
        text,
        "azurerm_virtual_machine_data_disk_attachment",
        name,
        &[
            ("count", format!("var.{name}_volumes")),
            ("managed_disk_id", format!("azurerm_managed_disk.{name}[count.index].id")),
            ("virtual_machine_id", format!("{machine}.machine.id")),
            ("lun", lun),
            ("caching", format!("\"{}\"", caching(part))),
        ],
    );
}

/// As the configuration says; the search assumes no cache.
fn caching(part: &Part<'_>) -> &'static str {
    match part.pool.host_cache.as_str() {
        "read-only" => "ReadOnly",
        "read-write" => "ReadWrite",
        _ => "None",
    }
}

fn files(text: &mut String, part: &Part<'_>) {
    let name = &part.name;
    let level = service_level(&part.pool.level);
    resource(
        text,
        "azurerm_netapp_account",
        name,
        &[
            ("name", format!("\"${{var.name}}-{name}\"")),
            ("location", "var.region".to_owned()),
            ("resource_group_name", "var.group".to_owned()),
        ],
    );
    resource(
        text,
        "azurerm_netapp_pool",
        name,
        &[
            ("name", format!("\"${{var.name}}-{name}\"")),
            ("location", "var.region".to_owned()),
            ("resource_group_name", "var.group".to_owned()),
            ("account_name", format!("azurerm_netapp_account.{name}.name")),
            ("service_level", quoted(&level)),
            ("size_in_tb", format!("ceil(var.{name}_volumes * var.{name}_size_gib / 1024)")),
        ],
    );
    resource(
        text,
        "azurerm_netapp_volume",
        name,
        &[
            ("count", format!("var.{name}_volumes")),
            ("name", format!("\"${{var.name}}-{name}-${{count.index + 1}}\"")),
            ("location", "var.region".to_owned()),
            ("resource_group_name", "var.group".to_owned()),
            ("account_name", format!("azurerm_netapp_account.{name}.name")),
            ("pool_name", format!("azurerm_netapp_pool.{name}.name")),
            ("volume_path", format!("\"${{var.name}}-{name}-${{count.index + 1}}\"")),
            ("service_level", quoted(&level)),
            ("subnet_id", "var.files_subnet".to_owned()),
            ("protocols", "[\"NFSv3\"]".to_owned()),
            ("storage_quota_in_gb", format!("var.{name}_size_gib")),
        ],
    );
}

pub(super) fn commands(order: &Order<'_>) -> Result<String, NoOrder> {
    let image =
        if order.is_windows() { "Win2022AzureEditionCore" } else { "Debian:debian-12:12-gen2:latest" };
    let ultra = if order.parts.iter().any(|part| part.pool.volume == "ultra-disk") {
        " --ultra-ssd-enabled true"
    } else {
        ""
    };
    let controller =
        if order.configuration.machine.ends_with("/scsi") { " --disk-controller-type SCSI" } else { "" };
    let mut text = format!(
        "NAME=${{NAME:-database}}\nREGION=${{REGION:-eastus}}\nZONE=${{ZONE:-1}}\nGROUP=${{GROUP:?the resource group}}\nSUBNET=${{SUBNET:?id of the subnet}}\n\n\
         az vm create --resource-group \"$GROUP\" --name \"$NAME\" --location \"$REGION\" --zone \"$ZONE\" --size {} \\\n  \
         --image {image} --subnet \"$SUBNET\" --public-ip-address '' --accelerated-networking true{ultra}{controller}\n",
        shell(order.machine())
    );
    let mut has_account = false;
    for part in &order.parts {
        let numbers: Vec<String> = (1..=part.pool.count).map(|number| number.to_string()).collect();
        let disk = format!("\"$NAME-{}-$number\"", part.name);
        match kind(order, part)? {
            Kind::Disk(sku) => {
                let tier = if sku == "Premium_LRS" && !part.pool.level.is_empty() {
                    format!(" --tier {}", shell(&part.pool.level))
                } else {
                    String::new()
                };
                let iops =
                    iops(part).map_or_else(String::new, |iops| format!(" --disk-iops-read-write {iops}"));
                let mbps =
                    throughput(part).map_or_else(String::new, |mb| format!(" --disk-mbps-read-write {mb}"));
                let _ = write!(
                    text,
                    "\nfor number in {}; do\n  az disk create --resource-group \"$GROUP\" --name {disk} --location \"$REGION\" --zone \"$ZONE\" \\\n    \
                     --sku {sku} --size-gb {}{tier}{iops}{mbps}\n  \
                     az vm disk attach --resource-group \"$GROUP\" --vm-name \"$NAME\" --name {disk} --caching {}\ndone\n",
                    numbers.join(" "),
                    part.pool.size_gib,
                    caching(part)
                );
            }
            Kind::Files => {
                if !has_account {
                    text.push_str("\nFILES_SUBNET=${FILES_SUBNET:?id of the delegated subnet}\naz netappfiles account create --resource-group \"$GROUP\" --name \"$NAME\" --location \"$REGION\"\n");
                    has_account = true;
                }
                let level = shell(&service_level(&part.pool.level));
                let _ = write!(
                    text,
                    "az netappfiles pool create --resource-group \"$GROUP\" --account-name \"$NAME\" --name {0} --location \"$REGION\" --service-level {level} --size {1}\n\
                     for number in {2}; do\n  az netappfiles volume create --resource-group \"$GROUP\" --account-name \"$NAME\" --pool-name {0} --name {disk} \\\n    \
                     --location \"$REGION\" --service-level {level} --usage-threshold {3} --file-path {disk} --subnet \"$FILES_SUBNET\" --protocol-types NFSv3\ndone\n",
                    part.name,
                    pool_tib(part),
                    numbers.join(" "),
                    part.pool.size_gib
                );
            }
        }
    }
    Ok(text)
}
