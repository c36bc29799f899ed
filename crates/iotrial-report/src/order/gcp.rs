//! Compute Engine with persistent disks and Hyperdisk. The forms ask for GB of 2^30 bytes, IOPS and MB/s of 2^20.

use std::fmt::Write as _;

use super::hcl::{number, provider, quoted, resource, word};
use super::{MIB, NoOrder, Order, Part, shell, whole};

fn kind<'p>(order: &Order<'_>, part: &'p Part<'_>) -> Result<&'p str, NoOrder> {
    let name = part.pool.volume.as_str();
    let is_known = name.starts_with("pd-") || name.starts_with("hyperdisk-");
    if is_known { Ok(name) } else { Err(order.unknown(part.pool)) }
}

fn iops(part: &Part<'_>) -> Option<String> {
    let sells = ["pd-extreme", "hyperdisk-balanced", "hyperdisk-extreme"];
    part.pool.iops.filter(|_| sells.contains(&part.pool.volume.as_str())).map(|one| whole(one, 1.0))
}

fn throughput(part: &Part<'_>) -> Option<String> {
    let sells = ["hyperdisk-balanced", "hyperdisk-throughput"];
    let bandwidth = part.pool.bandwidth.filter(|one| one.is_finite())?;
    sells.contains(&part.pool.volume.as_str()).then(|| whole(bandwidth, MIB))
}

pub(super) fn terraform(order: &Order<'_>) -> Result<String, NoOrder> {
    let mut text = String::new();
    provider(&mut text, "google", "hashicorp/google");
    word(&mut text, "name", "Name of the machine and prefix of its disks", "database");
    word(&mut text, "zone", "Zone", "us-central1-a");
    word(&mut text, "machine", "Machine type", order.machine());
    let image = if order.is_windows() { "windows-cloud/windows-2022" } else { "debian-cloud/debian-12" };
    word(&mut text, "image", "Image of the boot disk", image);
    word(&mut text, "network", "Network", "default");
    for part in &order.parts {
        let name = &part.name;
        number(&mut text, &format!("{name}_volumes"), "Number of disks", &part.pool.count.to_string());
        number(&mut text, &format!("{name}_size_gib"), "Size of each, GiB", &part.pool.size_gib.to_string());
        if let Some(iops) = iops(part) {
            number(&mut text, &format!("{name}_iops"), "IOPS of each", &iops);
        }
        if let Some(throughput) = throughput(part) {
            number(&mut text, &format!("{name}_throughput_mib"), "Throughput of each, MiB/s", &throughput);
        }
    }
    resource(
        &mut text,
        "google_compute_instance",
        "machine",
        &[
            ("name", "var.name".to_owned()),
            ("zone", "var.zone".to_owned()),
            ("machine_type", "var.machine".to_owned()),
            ("boot_disk {", "initialize_params {\n  image = var.image\n}\n".to_owned()),
            ("network_interface {", "network = var.network\n".to_owned()),
            ("lifecycle {", "ignore_changes = [attached_disk]\n".to_owned()),
        ],
    );
    for part in &order.parts {
        let name = &part.name;
        let mut lines = vec![
            ("count", format!("var.{name}_volumes")),
            ("name", format!("\"${{var.name}}-{}-${{count.index + 1}}\"", name.replace('_', "-"))),
            ("zone", "var.zone".to_owned()),
            ("type", quoted(kind(order, part)?)),
            ("size", format!("var.{name}_size_gib")),
        ];
        if iops(part).is_some() {
            lines.push(("provisioned_iops", format!("var.{name}_iops")));
        }
        if throughput(part).is_some() {
            lines.push(("provisioned_throughput", format!("var.{name}_throughput_mib")));
        }
        resource(&mut text, "google_compute_disk", name, &lines);
        resource(
            &mut text,
            "google_compute_attached_disk",
            name,
            &[
                ("count", format!("var.{name}_volumes")),
                ("disk", format!("google_compute_disk.{name}[count.index].id")),
                ("instance", "google_compute_instance.machine.id".to_owned()),
            ],
        );
    }
    Ok(text.trim_end().to_owned() + "\n")
}

pub(super) fn commands(order: &Order<'_>) -> Result<String, NoOrder> {
    let family =
        if order.is_windows() { ("windows-cloud", "windows-2022") } else { ("debian-cloud", "debian-12") };
    let mut text = format!(
        "NAME=${{NAME:-database}}\nZONE=${{ZONE:-us-central1-a}}\n\n\
         gcloud compute instances create \"$NAME\" --zone \"$ZONE\" --machine-type {} --image-project {} --image-family {}\n",
        shell(order.machine()),
        family.0,
        family.1
    );
    for part in &order.parts {
        let numbers: Vec<String> = (1..=part.pool.count).map(|number| number.to_string()).collect();
        let iops = iops(part).map_or_else(String::new, |iops| format!(" --provisioned-iops {iops}"));
        let throughput =
            throughput(part).map_or_else(String::new, |mib| format!(" --provisioned-throughput {mib}"));
        let disk = format!("\"$NAME-{}-$number\"", part.name.replace('_', "-"));
        let _ = write!(
            text,
            "\nfor number in {}; do\n  gcloud compute disks create {disk} --zone \"$ZONE\" --type {} --size {}GB{iops}{throughput}\n  \
             gcloud compute instances attach-disk \"$NAME\" --zone \"$ZONE\" --disk {disk}\ndone\n",
            numbers.join(" "),
            shell(kind(order, part)?),
            part.pool.size_gib
        );
    }
    Ok(text)
}
