//! Configurations side by side.

use iotrial_model::units::ByteSize;
use iotrial_model::words::counted;
use iotrial_sizing::explanation::Mix;
use iotrial_sizing::side_by_side::{Criterion, Expandable, Work};

/// A mix: `70 % reads of 8 KiB`.
pub fn mix(mix: Mix) -> String {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "block sizes are whole numbers"
    )]
    let block = ByteSize::bytes(mix.block_size_bytes as u64);
    format!("{:.0} % reads of {block}", mix.read_percent)
}

/// What cannot be counted, as a cell of a table.
pub fn criterion(criterion: &Criterion) -> String {
    match criterion {
        Criterion::Expandable(how) => match how {
            Expandable::No => "no: a storage pool on Windows does not grow with its disks",
            Expandable::MoreVolumes => "by more volumes or another level",
            Expandable::Stripe => "yes: every volume, then the stripe",
            Expandable::Volume => "yes: the volume",
        }
        .to_owned(),
        Criterion::Lost(roles) if roles.is_empty() => "yes".to_owned(),
        Criterion::Lost(roles) => {
            let roles: Vec<&str> = roles.iter().map(|role| role.as_str()).collect();
            format!("all except {} (lost with the machine)", roles.join(", "))
        }
        Criterion::Effort { work, volumes, pools } => {
            let work = match work {
                Work::Little => "low",
                Work::Some => "medium",
                Work::Much => "high",
            };
            let pools = if *pools > 1 { format!(" in {pools} pools") } else { String::new() };
            format!("{work}: {}{pools}", counted(u64::from(*volumes), "volume"))
        }
        Criterion::Stated(text) => text.clone(),
    }
}
