//! What is said of other programs on the host of a run.

use iotrial_model::foreign_text::harmless;
use iotrial_model::record::{ActivityLook, BusyProcess, DiskActivity};
use iotrial_model::words::counted;

use crate::numbers::{number_in_words, with_thousands};

/// More names than this do not fit a line of 80 columns.
const MOST_IN_BRIEF: usize = 2;

/// Who used the CPUs beside a run, as a line.
pub fn beside_run(processes: &[BusyProcess]) -> String {
    format!("busy beside the run: {}", busy_processes(processes))
}

/// `postgres (pid 123, 85 % of a CPU), rustc (3 processes, 61 %)`: several of one name together, such as the compilers of a build.
pub fn busy_processes(processes: &[BusyProcess]) -> String {
    in_brief(processes, usize::MAX)
}

/// The same of the first names only.
fn in_brief(processes: &[BusyProcess], most: usize) -> String {
    let mut by_name: Vec<(&str, Vec<&BusyProcess>)> = Vec::new();
    for process in processes {
        match by_name.iter_mut().find(|(name, _)| *name == process.name) {
            Some((_, same)) => same.push(process),
            None => by_name.push((&process.name, vec![process])),
        }
    }
    let percent = |same: &[&BusyProcess]| same.iter().map(|process| process.cpu_percent).sum::<f64>();
    by_name.sort_by(|(_, a), (_, b)| percent(b).total_cmp(&percent(a)));
    let named = by_name.iter().take(most).enumerate().map(|(index, (name, same))| {
        let of = if index == 0 { " of a CPU" } else { "" };
        let which = match same.as_slice() {
            [one] => format!("pid {}", one.pid),
            several => format!("{} processes", several.len()),
        };
        format!("{} ({which}, {:.0} %{of})", harmless(name), percent(same))
    });
    named.collect::<Vec<_>>().join(", ")
}

/// `others use 1.7 of 2 CPUs: rustc (pid 4711, 98 % of a CPU)`.
pub fn cpus(look: &ActivityLook, cpu_count: u32) -> String {
    let used = look.others_cpu_percent.unwrap_or_default() / 100.0 * f64::from(cpu_count);
    let of = counted(u64::from(cpu_count), "CPU");
    let who = in_brief(&look.processes, MOST_IN_BRIEF);
    let who = if who.is_empty() { who } else { format!(": {who}") };
    format!("others use {used:.1} of {of}{who}")
}

/// `the hypervisor takes 12 % of the CPU time`.
pub fn steal(look: &ActivityLook) -> String {
    format!("the hypervisor takes {:.0} % of the CPU time", look.steal_percent.unwrap_or_default())
}

/// `vda is 74 % busy with I/Os of others: 5,100 IOPS, 190 MiB/s`.
pub fn disk(disk: &DiskActivity) -> String {
    let iops = with_thousands(disk.read_iops + disk.write_iops);
    let mib_per_s = (disk.read_bytes_per_s + disk.write_bytes_per_s) / 1_048_576.0;
    let busy =
        disk.busy_percent.map_or_else(|| "in use".to_owned(), |percent| format!("{percent:.0} % busy"));
    format!(
        "{} is {busy} with I/Os of others: {iops} IOPS, {} MiB/s",
        harmless(&disk.name),
        number_in_words(mib_per_s)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_of_one_name_are_one_and_the_busiest_name_comes_first() {
        let of = |name: &str, pid, cpu_percent| BusyProcess { name: name.into(), pid, cpu_percent };
        let processes =
            [of("postgres", 7, 60.0), of("rustc", 8, 50.0), of("rustc", 9, 40.0), of("a\nb", 1, 5.0)];
        let words = busy_processes(&processes);
        let parts: Vec<&str> = words.split(", ").collect();
        assert!(parts[0].starts_with("rustc (2 ") && parts[1].starts_with("90 %"), "{words}");
        assert!(parts[2].starts_with("postgres (pid 7") && !words.contains('\n'), "{words}");
        assert_eq!(busy_processes(&[]), "");
    }
}
