//! How several volumes become one: comments after an order, because device names are known only when the machine runs.

use std::fmt::Write as _;

use iotrial_model::demand::Mirror;

use super::Order;

/// Bytes of a stripe on one volume. Database pages are 8 KiB and read-ahead is 64 KiB and more, so a page is on one volume and a scan on
/// several; Microsoft names 64 KB for SQL Server.
const STRIPE_KIB: u32 = 64;

/// The stripes of all pools with several volumes; empty where there is none.
pub(super) fn striping(order: &Order<'_>) -> String {
    let mut text = String::new();
    for part in order.parts.iter().filter(|part| part.pool.count > 1 && part.pool.volume != "netapp-files") {
        let (name, count) = (&part.name, part.pool.count);
        let _ = writeln!(text, "# On the machine, the {count} volumes of `{name}` become one:");
        if order.is_windows() {
            windows(&mut text, order, name, count);
        } else {
            linux(&mut text, order, name, count);
        }
    }
    text
}

/// Where the provider's images show the volumes of a part, as words of a shell.
fn devices(order: &Order<'_>, name: &str, count: u32) -> String {
    let first = order.before(name);
    match order.configuration.provider.as_str() {
        // The first NVMe disk is the one that the machine starts from.
        "aws" => format!("$(seq -f /dev/nvme%gn1 {} {})", first + 1, first + count),
        "azure" => format!("$(seq -f /dev/disk/azure/scsi1/lun%g {first} {})", first + count - 1),
        "gcp" => {
            format!("$(seq -f /dev/disk/by-id/google-persistent-disk-%g {} {})", first + 1, first + count)
        }
        _ => {
            // `sda` is the disk that the machine starts from; 32 volumes end at `sdag`.
            let letter = |index: u32| char::from(b'a' + u8::try_from(index % 26).unwrap_or(0));
            let device = |index: u32| match index {
                ..26 => format!("/dev/sd{}", letter(index)),
                _ => format!("/dev/sd{}{}", letter(index / 26 - 1), letter(index)),
            };
            (first + 1..=first + count).map(device).collect::<Vec<_>>().join(" ")
        }
    }
}

fn linux(text: &mut String, order: &Order<'_>, name: &str, count: u32) {
    let (level, copies) = match order.mirror() {
        Mirror::None => ("0", ""),
        Mirror::TwoWay => ("10", " --layout=n2"),
        Mirror::ThreeWay => ("10", " --layout=n3"),
    };
    let devices = devices(order, name, count);
    let _ = writeln!(text, "#   lsblk   # which devices they really are");
    let _ = writeln!(
        text,
        "#   mdadm --create /dev/md/{name} --level={level}{copies} --chunk={STRIPE_KIB}K --raid-devices={count} {devices}"
    );
    let _ = writeln!(
        text,
        "#   mkfs.xfs /dev/md/{name} && mkdir -p /{name} && mount -o noatime /dev/md/{name} /{name}"
    );
    if order.mirror() == Mirror::None {
        let _ = writeln!(text, "# or with LVM:");
        let _ = writeln!(text, "#   pvcreate {devices}");
        let _ = writeln!(text, "#   vgcreate {name} {devices}");
        let _ = writeln!(
            text,
            "#   lvcreate --stripes {count} --stripesize {STRIPE_KIB}k --extents 100%FREE --name {name} {name}"
        );
    }
}

fn windows(text: &mut String, order: &Order<'_>, name: &str, count: u32) {
    let (resiliency, columns) = match order.mirror() {
        Mirror::None => ("Simple".to_owned(), count),
        mirror => (format!("Mirror -NumberOfDataCopies {}", mirror.copies()), count / mirror.copies()),
    };
    let _ = writeln!(
        text,
        "#   $disks = Get-PhysicalDisk -CanPool $true   # in PowerShell, with no other free disks there"
    );
    let _ = writeln!(
        text,
        "#   New-StoragePool -FriendlyName {name} -StorageSubSystemFriendlyName 'Windows Storage*' -PhysicalDisks $disks"
    );
    let _ = writeln!(
        text,
        "#   New-VirtualDisk -StoragePoolFriendlyName {name} -FriendlyName {name} -ResiliencySettingName {resiliency} -NumberOfColumns {columns} -Interleave {} -UseMaximumSize",
        STRIPE_KIB * 1024
    );
    let _ = writeln!(
        text,
        "#   Get-VirtualDisk {name} | Get-Disk | Initialize-Disk -PassThru | New-Partition -AssignDriveLetter -UseMaximumSize | Format-Volume -FileSystem NTFS -AllocationUnitSize 65536"
    );
    if count > 8 {
        let _ =
            writeln!(text, "# Server Manager makes 8 columns at most; -NumberOfColumns makes all {columns}.");
    }
}
