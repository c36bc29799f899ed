//! The machine that measures, in the few facts by which people recognise it.

use iotrial_model::record::Host;

#[cfg(target_os = "linux")]
#[path = "machine/linux.rs"]
mod os;
#[cfg(windows)]
#[path = "machine/windows.rs"]
mod os;

#[cfg(windows)]
pub(crate) use os::{VERSION, build, cpu_count, firmware, memory};

/// What does not vary from run to run. What cannot be read is absent.
pub fn machine() -> Host {
    os::machine()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_has_facts_that_are_the_same_twice() {
        let facts = machine();
        assert_eq!(facts, machine());
        assert!(facts.cpu_count > 0 && !facts.name.is_empty() && !facts.os.is_empty(), "{facts:?}");
    }
}
