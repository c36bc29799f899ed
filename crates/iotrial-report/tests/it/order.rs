//! What is written as an order: checked against the providers' documentation, and for syntax.

use std::collections::BTreeSet;

use iotrial_report::order::{NoOrder, commands, terraform};
use iotrial_sizing::configuration::Configuration;

fn configuration(text: &str) -> Configuration {
    Configuration::parse(&format!("format = \"iotrial.configuration/1\"\n{text}")).unwrap()
}

fn aws() -> Configuration {
    configuration(
        "title = \"erp\"\nprovider = \"aws\"\nmachine = \"r6i.4xlarge\"\n[[pool]]\nvolume = \"gp3\"\ncount = 2\nsize = \"500GiB\"\niops = 4000\nbandwidth = \"250MiB/s\"\n",
    )
}

/// Data cached on Premium SSD, the log on an Ultra Disk, tempdb on the machine's own disk.
fn azure() -> Configuration {
    configuration(
        "provider = \"azure\"\nmachine = \"Standard_E16bds_v5/scsi\"\nos = \"windows\"\n[[pool]]\nroles = [\"data\"]\nvolume = \"premium-ssd\"\nlevel = \"P30\"\ncount = 10\nsize = \"1024GiB\"\nhost_cache = \"read-only\"\n[[pool]]\nroles = [\"log\"]\nvolume = \"ultra-disk\"\nsize = \"256GiB\"\niops = 20000\nbandwidth = \"400MB/s\"\n[[pool]]\nroles = [\"tempdb\"]\nvolume = \"local-disk\"\n",
    )
}

fn gcp() -> Configuration {
    configuration(
        "provider = \"gcp\"\nmachine = \"c3-standard-22\"\nmirror = \"two-way\"\n[[pool]]\nvolume = \"hyperdisk-balanced\"\ncount = 4\nsize = \"512GiB\"\niops = 12000\nbandwidth = \"300MiB/s\"\n",
    )
}

fn oci() -> Configuration {
    configuration(
        "provider = \"oci\"\nmachine = \"VM.Optimized3.Flex\"\nocpus = 10\nmemory = \"64GiB\"\nos = \"windows\"\n[[pool]]\nvolume = \"block-volume\"\nlevel = \"vpu-20\"\ncount = 8\nsize = \"1134GiB\"\nattachment = \"iscsi\"\n",
    )
}

fn files() -> Configuration {
    configuration(
        "provider = \"azure\"\nmachine = \"Standard_E96ds_v5\"\n[[pool]]\nvolume = \"netapp-files\"\nlevel = \"premium\"\ncount = 4\nsize = \"3000GiB\"\n",
    )
}

fn has(text: &str, all: &[&str]) {
    for words in all {
        assert!(text.contains(words), "«{words}» is missing in\n{text}");
    }
}

/// EBS: `size` in GiB, `throughput` in MiB/s (hashicorp/aws, aws_ebs_volume).
#[test]
fn an_order_from_aws_is_this_file() {
    let text = terraform(&aws(), false).unwrap();
    let from = text.find("resource \"aws_instance\"").unwrap();
    let expected = r#"resource "aws_instance" "machine" {
  ami               = var.image
  instance_type     = var.machine
  subnet_id         = var.subnet
  availability_zone = var.zone
  ebs_optimized     = true

  tags = {
    Name = var.name
  }
}

resource "aws_ebs_volume" "data" {
  count             = var.data_volumes
  availability_zone = var.zone
  type              = "gp3"
  size              = var.data_size_gib
  iops              = var.data_iops
  throughput        = var.data_throughput_mib

  tags = {
    Name = "${var.name}-data-${count.index + 1}"
  }
}

resource "aws_volume_attachment" "data" {
  count       = var.data_volumes
  device_name = local.devices[count.index]
  volume_id   = aws_ebs_volume.data[count.index].id
  instance_id = aws_instance.machine.id
}

# On the machine, the 2 volumes of `data` become one:
#   lsblk   # which devices they really are
#   mdadm --create /dev/md/data --level=0 --chunk=64K --raid-devices=2 $(seq -f /dev/nvme%gn1 1 2)
#   mkfs.xfs /dev/md/data && mkdir -p /data && mount -o noatime /dev/md/data /data
# or with LVM:
#   pvcreate $(seq -f /dev/nvme%gn1 1 2)
#   vgcreate data $(seq -f /dev/nvme%gn1 1 2)
#   lvcreate --stripes 2 --stripesize 64k --extents 100%FREE --name data data
"#;
    assert_eq!(&text[from..], expected);
    let number = |name: &str, value: &str| {
        let at = text.find(&format!("variable \"{name}\"")).unwrap();
        let block = &text[at..at + text[at..].find('}').unwrap()];
        assert!(block.contains(&format!("default     = {value}\n")), "{block}");
    };
    number("data_volumes", "2");
    number("data_size_gib", "500");
    number("data_iops", "4000");
    number("data_throughput_mib", "250");
    let script = commands(&aws(), true).unwrap();
    has(
        &script,
        &[
            "#!/bin/sh\n",
            "--volume-type gp3 --size 500 --iops 4000 --throughput 250",
            "for device in /dev/sdf /dev/sdg; do",
            "# The second machine of the pair",
        ],
    );
}

/// Managed disks: MB/s of 10^6 (hashicorp/azurerm); an Ultra Disk needs the machine's consent and has no cache; SQL Server's data are
/// cached for reads.
#[test]
fn an_order_from_azure_keeps_pools_caches_and_the_interface() {
    let text = terraform(&azure(), false).unwrap();
    has(
        &text,
        &[
            "default     = \"Standard_E16bds_v5\"",
            "disk_controller_type  = \"SCSI\"",
            "ultra_ssd_enabled = true",
            "storage_account_type = \"Premium_LRS\"",
            "tier                 = \"P30\"",
            "caching            = \"ReadOnly\"",
            "storage_account_type = \"UltraSSD_LRS\"",
            "disk_iops_read_write = var.log_iops",
            "disk_mbps_read_write = var.log_throughput_mb",
            "lun                = 10 + count.index",
            "caching            = \"None\"",
            "New-VirtualDisk -StoragePoolFriendlyName data -FriendlyName data -ResiliencySettingName Simple -NumberOfColumns 10 -Interleave 65536",
            "Server Manager makes 8 columns at most",
        ],
    );
    // The comment at the top names every pool; what is ordered is below it.
    let mut ordered = text.lines().filter(|line| !line.starts_with('#'));
    assert!(!ordered.any(|line| line.contains("tempdb")), "the machine's own disk comes with it: {text}");
    has(
        &commands(&azure(), false).unwrap(),
        &[
            "--sku UltraSSD_LRS --size-gb 256 --disk-iops-read-write 20000 --disk-mbps-read-write 400",
            "--sku Premium_LRS --size-gb 1024 --tier P30",
            "--caching ReadOnly",
            "--ultra-ssd-enabled true",
        ],
    );
}

/// Capacity pools are bought in whole TiB: 12,000 GiB are 12 of them.
#[test]
fn netapp_files_are_ordered_with_their_pool() {
    let text = terraform(&files(), false).unwrap();
    has(
        &text,
        &[
            "service_level       = \"Premium\"",
            "size_in_tb          = ceil(var.data_volumes * var.data_size_gib / 1024)",
        ],
    );
    has(
        &commands(&files(), false).unwrap(),
        &["--service-level Premium --size 12", "--usage-threshold 3000"],
    );
    assert!(!text.contains("mdadm"), "each volume is mounted by itself");
}

#[test]
fn hyperdisks_have_their_iops_and_a_mirror_is_raid_10() {
    has(
        &terraform(&gcp(), false).unwrap(),
        &[
            "type                   = \"hyperdisk-balanced\"",
            "provisioned_iops       = var.data_iops",
            "provisioned_throughput = var.data_throughput_mib",
            "mdadm --create /dev/md/data --level=10 --layout=n2 --chunk=64K --raid-devices=4",
        ],
    );
    has(
        &commands(&gcp(), false).unwrap(),
        &["--type hyperdisk-balanced --size 512GB --provisioned-iops 12000 --provisioned-throughput 300"],
    );
}

#[test]
fn block_volumes_have_their_performance_units() {
    has(
        &terraform(&oci(), false).unwrap(),
        &[
            "vpus_per_gb         = var.data_vpus",
            "ocpus         = var.ocpus",
            "is_agent_auto_iscsi_login_enabled = true",
        ],
    );
    has(
        &commands(&oci(), false).unwrap(),
        &[
            "--shape-config '{\"ocpus\": 10, \"memoryInGBs\": 64}'",
            "--size-in-gbs 1134 --vpus-per-gb 20",
            "attach-iscsi-volume",
        ],
    );
}

#[test]
fn an_own_catalog_has_no_order() {
    let own = configuration("provider = \"ours\"\nmachine = \"host\"\n[[pool]]\nvolume = \"lun\"\n");
    assert_eq!(terraform(&own, false), Err(NoOrder::Provider("ours".to_owned())));
    let unknown = configuration("provider = \"aws\"\nmachine = \"host\"\n[[pool]]\nvolume = \"lun\"\n");
    assert!(matches!(commands(&unknown, false), Err(NoOrder::Volume { .. })));
}

/// Names of machines and levels may come from anybody's catalog.
#[test]
fn names_cannot_break_out_of_a_file() {
    let hostile = configuration(
        "title = \"x\\nprovider \\\"evil\\\" {}\"\nprovider = \"aws\"\nmachine = \"a'; rm -rf .; \\\"${file(1)}\\\\\"\n[[pool]]\nvolume = \"gp3\"\nsize = \"1GiB\"\n",
    );
    let text = terraform(&hostile, false).unwrap();
    has(&text, &[r#"default     = "a'; rm -rf .; \"$${file(1)}\\""#]);
    assert!(text.lines().take(2).all(|line| line.starts_with('#')), "{text}");
    check_terraform(&text);
    let script = commands(&hostile, false).unwrap();
    has(&script, &[r#"--instance-type 'a'\''; rm -rf .; "${file(1)}\'"#]);
    check_shell(&script);
}

#[test]
fn every_order_is_well_formed() {
    for one in [aws(), azure(), gcp(), oci(), files()] {
        check_terraform(&terraform(&one, true).unwrap());
        check_shell(&commands(&one, true).unwrap());
    }
}

/// Strings end on their line, brackets close in order, every variable that is used is declared and the other way round, and so are
/// resources.
fn check_terraform(text: &str) {
    let mut open = Vec::new();
    let mut plain = String::new();
    for line in text.lines() {
        if line.trim_start().starts_with('#') {
            continue;
        }
        let (mut in_string, mut escaped) = (false, false);
        for c in line.chars() {
            match c {
                _ if escaped => escaped = false,
                '\\' if in_string => escaped = true,
                '"' => in_string = !in_string,
                '{' | '[' | '(' if !in_string => open.push(c),
                '}' | ']' | ')' if !in_string => {
                    let partner = match c {
                        '}' => '{',
                        ']' => '[',
                        _ => '(',
                    };
                    assert_eq!(open.pop(), Some(partner), "{line}\n{text}");
                }
                _ => {}
            }
        }
        assert!(!in_string, "a string does not end: {line}");
        plain.push_str(line);
        plain.push('\n');
    }
    assert!(open.is_empty(), "{open:?}\n{text}");
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let used: BTreeSet<&str> = plain
        .match_indices("var.")
        .map(|(at, _)| plain[at + 4..].split(|c| !is_word(c)).next().unwrap())
        .collect();
    let declared: BTreeSet<&str> =
        plain.lines().filter_map(|line| line.strip_prefix("variable \"")?.split('"').next()).collect();
    assert_eq!(used, declared);
    let resources: BTreeSet<String> = plain
        .lines()
        .filter_map(|line| {
            let (kind, rest) = line.strip_prefix("resource \"")?.split_once("\" \"")?;
            Some(format!("{kind}.{}", rest.split('"').next()?))
        })
        .collect();
    for (at, _) in plain.match_indices("[count.index].id") {
        let start = plain[..at].rfind(|c: char| !is_word(c) && c != '.').unwrap() + 1;
        assert!(resources.contains(&plain[start..at]), "{} of {resources:?}", &plain[start..at]);
    }
}

/// The shell reads the script without running it.
fn check_shell(text: &str) {
    let mut shell = std::process::Command::new("sh");
    shell.arg("-n").stdin(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let Ok(mut child) = shell.spawn() else {
        eprintln!("skipped: there is no shell here");
        return;
    };
    std::io::Write::write_all(child.stdin.as_mut().unwrap(), text.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}\n{text}", String::from_utf8_lossy(&output.stderr));
}
