//! OCI compute with block volumes. The forms ask for GB of 2^30 bytes and performance units for each of them.

use std::fmt::Write as _;

use super::hcl::{asked, number, provider, quoted, resource, word};
use super::{NoOrder, Order, Part, shell};

/// From this number of performance units on, a volume is ultra high performance and needs a multipath attachment.
const MULTIPATH_FROM: u32 = 30;

/// The performance units of a level such as `vpu-20`.
fn vpus(order: &Order<'_>, part: &Part<'_>) -> Result<u32, NoOrder> {
    let level = part.pool.level.strip_prefix("vpu-").and_then(|vpus| vpus.parse().ok());
    level.filter(|_| part.pool.volume == "block-volume").ok_or_else(|| order.unknown(part.pool))
}

fn attachment<'p>(part: &'p Part<'_>) -> &'p str {
    part.pool.attachment.as_deref().unwrap_or("paravirtualized")
}

pub(super) fn terraform(order: &Order<'_>) -> Result<String, NoOrder> {
    let mut text = String::new();
    provider(&mut text, "oci", "oracle/oci");
    word(&mut text, "name", "Name of the machine and prefix of its volumes", "database");
    asked(&mut text, "zone", "Availability domain");
    asked(&mut text, "compartment", "OCID of the compartment");
    asked(&mut text, "subnet", "OCID of the subnet");
    asked(&mut text, "image", "OCID of the image");
    word(&mut text, "machine", "Shape", order.machine());
    let configuration = order.configuration;
    let memory = configuration.memory_gib.map(|gib| format!("{gib}"));
    if let Some(ocpus) = configuration.ocpus {
        number(&mut text, "ocpus", "OCPU", &ocpus.to_string());
    }
    if let Some(memory) = &memory {
        number(&mut text, "memory_gib", "Memory, GiB", memory);
    }
    for part in &order.parts {
        let name = &part.name;
        number(&mut text, &format!("{name}_volumes"), "Number of volumes", &part.pool.count.to_string());
        number(&mut text, &format!("{name}_size_gib"), "Size of each, GiB", &part.pool.size_gib.to_string());
        number(
            &mut text,
            &format!("{name}_vpus"),
            "Performance units for each GiB",
            &vpus(order, part)?.to_string(),
        );
    }
    let mut shape = Vec::new();
    shape.extend(configuration.ocpus.map(|_| "ocpus         = var.ocpus"));
    shape.extend(memory.map(|_| "memory_in_gbs = var.memory_gib"));
    let mut lines = vec![
        ("availability_domain", "var.zone".to_owned()),
        ("compartment_id", "var.compartment".to_owned()),
        ("display_name", "var.name".to_owned()),
        ("shape", "var.machine".to_owned()),
    ];
    if !shape.is_empty() {
        lines.push(("shape_config {", shape.join("\n")));
    }
    lines.push(("source_details {", "source_type = \"image\"\nsource_id   = var.image\n".to_owned()));
    lines.push(("create_vnic_details {", "subnet_id = var.subnet\n".to_owned()));
    // The agent logs in to the paths of a multipath volume; without the plugin it has one of them.
    if order.parts.iter().any(|part| vpus(order, part).is_ok_and(|vpus| vpus >= MULTIPATH_FROM)) {
        let plugin = "plugins_config {\n  name          = \"Block Volume Management\"\n  desired_state = \"ENABLED\"\n}\n";
        lines.push(("agent_config {", plugin.to_owned()));
    }
    resource(&mut text, "oci_core_instance", "machine", &lines);
    for part in &order.parts {
        let name = &part.name;
        resource(
            &mut text,
            "oci_core_volume",
            name,
            &[
                ("count", format!("var.{name}_volumes")),
                ("availability_domain", "var.zone".to_owned()),
                ("compartment_id", "var.compartment".to_owned()),
                ("display_name", format!("\"${{var.name}}-{name}-${{count.index + 1}}\"")),
                ("size_in_gbs", format!("var.{name}_size_gib")),
                ("vpus_per_gb", format!("var.{name}_vpus")),
            ],
        );
        let mut lines = vec![
            ("count", format!("var.{name}_volumes")),
            ("attachment_type", quoted(attachment(part))),
            ("instance_id", "oci_core_instance.machine.id".to_owned()),
            ("volume_id", format!("oci_core_volume.{name}[count.index].id")),
        ];
        if attachment(part) == "iscsi" {
            lines.push(("is_agent_auto_iscsi_login_enabled", "true".to_owned()));
        }
        resource(&mut text, "oci_core_volume_attachment", name, &lines);
    }
    Ok(text.trim_end().to_owned() + "\n")
}

pub(super) fn commands(order: &Order<'_>) -> Result<String, NoOrder> {
    let configuration = order.configuration;
    let mut shape = Vec::new();
    shape.extend(configuration.ocpus.map(|ocpus| format!("\"ocpus\": {ocpus}")));
    shape.extend(configuration.memory_gib.map(|gib| format!("\"memoryInGBs\": {gib}")));
    let shape =
        if shape.is_empty() { String::new() } else { format!(" --shape-config '{{{}}}'", shape.join(", ")) };
    let mut text = format!(
        "NAME=${{NAME:-database}}\nZONE=${{ZONE:?the availability domain}}\nCOMPARTMENT=${{COMPARTMENT:?OCID of the compartment}}\n\
         SUBNET=${{SUBNET:?OCID of the subnet}}\nIMAGE=${{IMAGE:?OCID of the image}}\n\n\
         machine=$(oci compute instance launch --availability-domain \"$ZONE\" --compartment-id \"$COMPARTMENT\" --display-name \"$NAME\" \\\n  \
         --shape {}{shape} --subnet-id \"$SUBNET\" --image-id \"$IMAGE\" --wait-for-state RUNNING --query data.id --raw-output)\n",
        shell(order.machine())
    );
    for part in &order.parts {
        let numbers: Vec<String> = (1..=part.pool.count).map(|number| number.to_string()).collect();
        let kind = match attachment(part) {
            "iscsi" => "attach-iscsi-volume --is-agent-auto-iscsi-login-enabled true",
            _ => "attach-paravirtualized-volume",
        };
        let _ = write!(
            text,
            "\nfor number in {}; do\n  volume=$(oci bv volume create --availability-domain \"$ZONE\" --compartment-id \"$COMPARTMENT\" \\\n    \
             --display-name \"$NAME-{}-$number\" --size-in-gbs {} --vpus-per-gb {} --wait-for-state AVAILABLE --query data.id --raw-output)\n  \
             oci compute volume-attachment {kind} --instance-id \"$machine\" --volume-id \"$volume\"\ndone\n",
            numbers.join(" "),
            part.name,
            part.pool.size_gib,
            vpus(order, part)?
        );
    }
    Ok(text)
}
