//! EC2 with EBS volumes. The forms ask for GiB, IOPS and MiB/s.

use std::fmt::Write as _;

use super::hcl::{asked, fields, number, provider, quoted, resource, word};
use super::{MIB, NoOrder, Order, Part, shell, whole};

/// The types of EBS volumes by their names in the catalog, which are AWS's.
const TYPES: [&str; 6] = ["gp2", "gp3", "io1", "io2", "st1", "sc1"];
/// Device names that AWS recommends for data volumes, and those behind them.
const LETTERS: &str = "fghijklmnopqrstuvwxyz";

fn kind<'p>(order: &Order<'_>, part: &'p Part<'_>) -> Result<&'p str, NoOrder> {
    let name = part.pool.volume.as_str();
    if TYPES.contains(&name) { Ok(name) } else { Err(order.unknown(part.pool)) }
}

/// IOPS are bought only for these; bandwidth only for gp3.
fn iops(part: &Part<'_>) -> Option<String> {
    part.pool
        .iops
        .filter(|_| ["gp3", "io1", "io2"].contains(&part.pool.volume.as_str()))
        .map(|one| whole(one, 1.0))
}

fn throughput(part: &Part<'_>) -> Option<String> {
    let bandwidth = part.pool.bandwidth.filter(|one| one.is_finite() && part.pool.volume == "gp3")?;
    Some(whole(bandwidth, MIB))
}

pub(super) fn terraform(order: &Order<'_>) -> Result<String, NoOrder> {
    let mut text = String::new();
    provider(&mut text, "aws", "hashicorp/aws");
    word(&mut text, "name", "Name of the machine and prefix of its volumes", "database");
    word(&mut text, "zone", "Availability zone; volumes are in the zone of the machine", "us-east-1a");
    word(&mut text, "machine", "Instance type", order.machine());
    asked(&mut text, "image", "AMI");
    asked(&mut text, "subnet", "Subnet in that zone");
    for part in &order.parts {
        let name = &part.name;
        kind(order, part)?;
        number(&mut text, &format!("{name}_volumes"), "Number of volumes", &part.pool.count.to_string());
        number(&mut text, &format!("{name}_size_gib"), "Size of each, GiB", &part.pool.size_gib.to_string());
        if let Some(iops) = iops(part) {
            number(&mut text, &format!("{name}_iops"), "IOPS of each", &iops);
        }
        if let Some(throughput) = throughput(part) {
            number(&mut text, &format!("{name}_throughput_mib"), "Throughput of each, MiB/s", &throughput);
        }
    }
    let letters: Vec<String> = LETTERS.chars().map(|letter| format!("\"/dev/sd{letter}\"")).collect();
    // Beyond z AWS has two letters.
    let more =
        ('b'..='c').flat_map(|first| ('a'..='z').map(move |second| format!("\"/dev/xvd{first}{second}\"")));
    let devices: Vec<String> = letters.into_iter().chain(more).collect();
    let _ = write!(text, "locals {{\n  devices = [\n");
    for line in devices.chunks(8) {
        let _ = writeln!(text, "    {},", line.join(", "));
    }
    text.push_str("  ]\n}\n\n");
    let mut tags = String::new();
    fields(&mut tags, "", &[("Name", "var.name".to_owned())]);
    resource(
        &mut text,
        "aws_instance",
        "machine",
        &[
            ("ami", "var.image".to_owned()),
            ("instance_type", "var.machine".to_owned()),
            ("subnet_id", "var.subnet".to_owned()),
            ("availability_zone", "var.zone".to_owned()),
            ("ebs_optimized", "true".to_owned()),
            ("tags = {", tags),
        ],
    );
    let mut before = String::from("0");
    for part in &order.parts {
        let name = &part.name;
        let mut lines = vec![
            ("count", format!("var.{name}_volumes")),
            ("availability_zone", "var.zone".to_owned()),
            ("type", quoted(kind(order, part)?)),
            ("size", format!("var.{name}_size_gib")),
        ];
        if iops(part).is_some() {
            lines.push(("iops", format!("var.{name}_iops")));
        }
        if throughput(part).is_some() {
            lines.push(("throughput", format!("var.{name}_throughput_mib")));
        }
        lines.push(("tags = {", format!("Name = \"${{var.name}}-{name}-${{count.index + 1}}\"\n")));
        resource(&mut text, "aws_ebs_volume", name, &lines);
        let device = if before == "0" { "count.index".to_owned() } else { format!("{before} + count.index") };
        resource(
            &mut text,
            "aws_volume_attachment",
            name,
            &[
                ("count", format!("var.{name}_volumes")),
                ("device_name", format!("local.devices[{device}]")),
                ("volume_id", format!("aws_ebs_volume.{name}[count.index].id")),
                ("instance_id", "aws_instance.machine.id".to_owned()),
            ],
        );
        before = if before == "0" {
            format!("var.{name}_volumes")
        } else {
            format!("{before} + var.{name}_volumes")
        };
    }
    Ok(text.trim_end().to_owned() + "\n")
}

pub(super) fn commands(order: &Order<'_>) -> Result<String, NoOrder> {
    let mut text = format!(
        "NAME=${{NAME:-database}}\nZONE=${{ZONE:-us-east-1a}}\nIMAGE=${{IMAGE:?the AMI}}\nSUBNET=${{SUBNET:?a subnet in that zone}}\n\n\
         machine=$(aws ec2 run-instances --image-id \"$IMAGE\" --instance-type {} --subnet-id \"$SUBNET\" --ebs-optimized \\\n  \
         --tag-specifications \"ResourceType=instance,Tags=[{{Key=Name,Value=$NAME}}]\" --query 'Instances[0].InstanceId' --output text)\n\
         aws ec2 wait instance-running --instance-ids \"$machine\"\n",
        shell(order.machine())
    );
    let names: Vec<String> = LETTERS
        .chars()
        .map(|letter| format!("/dev/sd{letter}"))
        .chain(('b'..='c').flat_map(|one| ('a'..='z').map(move |two| format!("/dev/xvd{one}{two}"))))
        .collect();
    let mut next = 0;
    for part in &order.parts {
        let count = part.pool.count as usize;
        let devices: Vec<&str> = names.iter().skip(next).take(count).map(String::as_str).collect();
        next += count;
        let iops = iops(part).map_or_else(String::new, |iops| format!(" --iops {iops}"));
        let throughput = throughput(part).map_or_else(String::new, |mib| format!(" --throughput {mib}"));
        let _ = write!(
            text,
            "\nfor device in {}; do\n  volume=$(aws ec2 create-volume --availability-zone \"$ZONE\" --volume-type {} --size {}{iops}{throughput} \\\n    \
             --tag-specifications \"ResourceType=volume,Tags=[{{Key=Name,Value=$NAME-{}}}]\" --query VolumeId --output text)\n  \
             aws ec2 wait volume-available --volume-ids \"$volume\"\n  \
             aws ec2 attach-volume --volume-id \"$volume\" --instance-id \"$machine\" --device \"$device\"\ndone\n",
            devices.join(" "),
            shell(kind(order, part)?),
            part.pool.size_gib,
            part.name
        );
    }
    Ok(text)
}
