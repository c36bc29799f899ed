//! Words for what to know of a size.

use iotrial_model::awr::SizeNote;

use super::{part, plain_reads};
use crate::numbers::{number_in_words, seconds_in_words};

/// Without a full stop.
pub fn size_note(note: &SizeNote) -> String {
    match note {
        SizeNote::OfPart(one) => format!(
            "{}: vCPUs, memory, rates and over-provisioning are those of the instances reported; in a cluster, each host must also be able to take over the work of a failed instance",
            part(one)
        ),
        SizeNote::FewIntervals { interval_count, covered_s, enough } => {
            let time = seconds_in_words(*covered_s);
            let known = match interval_count {
                1 => format!("one interval of {time}: only its average is known"),
                count => format!("{count} intervals covering {time} in total: too few to know the peaks between them"),
            };
            format!(
                "{known}; with at least {enough} intervals, from more reports or a longer AWR-Miner period, no factor needs to be assumed"
            )
        }
        SizeNote::SessionsWait { by_sessions, by_cpu } => format!(
            "sizing by active sessions would give {} vCPUs, sizing by CPU time gives {}: sessions mostly wait, and more CPUs do not shorten waits",
            number_in_words(*by_sessions),
            number_in_words(*by_cpu)
        ),
        SizeNote::CpuShort { busy_percent, waiting, of_limit, by_sessions } => {
            let busy = busy_percent.map(|percent| format!("{percent:.0} % of the host's CPUs were busy"));
            let waiting = waiting.map(|sessions| {
                format!("{} sessions waited for a CPU on average", number_in_words(sessions))
            });
            let limit = of_limit.map(|(used, limit)| {
                format!(
                    "the database used {} of the {limit:.0} CPUs that it is limited to",
                    number_in_words(used)
                )
            });
            let signs: Vec<String> = [busy, limit, waiting].into_iter().flatten().collect();
            let sessions = by_sessions.map_or_else(String::new, |vcpus| {
                format!("; sizing by active sessions would give {}", number_in_words(vcpus))
            });
            format!(
                "CPUs were short: {}; the vCPUs are a lower bound, made of the CPU that was used and the waits for it{sessions}",
                signs.join(", and ")
            )
        }
        SizeNote::NoCpuTime => {
            "the source has no CPU time: vCPUs are computed from active sessions, which is an upper bound".to_owned()
        }
        SizeNote::VirtualHost => "the report shows each CPU as a socket of its own, so the host is taken to be a virtual machine, and its CPUs count as vCPUs, two to a core".to_owned(),
        SizeNote::CoresAsCpus { vcpus_per_cpu } => format!(
            "the report has as many cores as CPUs, so each counts as {vcpus_per_cpu:.0} vCPUs: this is right for hosts without hyper-threading; if it is a virtual machine that calls its vCPUs cores, half as many are enough"
        ),
        SizeNote::OtherThreads { per_core, vcpus_per_cpu } => format!(
            "a core of the present host has {per_core:.0} hardware threads, and a new one has two: each CPU counts as {vcpus_per_cpu:.2} vCPUs"
        ),
        SizeNote::PlainReads(reads) => plain_reads(reads),
        SizeNote::FactorsOfOmat => "OMAT's instructions multiply I/O by 6 and memory by 4 for databases on Exadata: `--method omat --factor-io 6 --factor-memory 4`".to_owned(),
        SizeNote::SharedHost { busy, own } => format!(
            "{busy:.1} CPUs of the host are busy, but the sessions of this database use only {own:.1} of them: others use the host too, and the figures for over-provisioning cover this database only"
        ),
        SizeNote::ConfiguredMemory => {
            "memory is the configured size of SGA and PGA: the report does not have their use".to_owned()
        }
    }
}
