//! The hostile situations of `cargo xtask attack` that need no root.

#[allow(
    dead_code,
    clippy::print_stdout,
    reason = "the tests use the classes, and not the command that runs them"
)]
#[path = "../../../../xtask/src/attack.rs"]
mod attack;
// What the classes of an attack find one module up, as in the tasks.
#[allow(dead_code, reason = "the classes use a part of it")]
#[path = "../../../../xtask/src/carried_out.rs"]
mod carried_out;

use std::path::Path;

/// A prime, so that each kind of file and each command has its turn.
const ONE_IN: u32 = 11;

/// A test for each class, and a list of those that have one.
macro_rules! classes {
    ($($name:ident)*) => {
        $(#[test] fn $name() { holds(stringify!($name)); })*

        #[test]
        fn every_class_that_needs_no_root_is_tried_here() {
            let without_root = attack::CLASSES.iter().filter(|class| !class.needs_root).map(|class| class.name);
            assert_eq!(without_root.collect::<Vec<_>>(), [$(stringify!($name)),*]);
        }
    };
}

classes! {
    output
    limits
    denied
    inputs
    store
    foreign_text
}

#[track_caller]
fn holds(name: &str) {
    let class = attack::CLASSES.iter().find(|class| class.name == name).expect("it is in the list");
    let program = Path::new(env!("CARGO_BIN_EXE_iotrial"));
    let tally = attack::try_class(class, program, Path::new(env!("CARGO_TARGET_TMPDIR")), ONE_IN)
        .expect("it can be tried");
    let failed = tally.failed.len();
    assert!(tally.failed.is_empty(), "{failed} of {} cases:\n{}", tally.cases, tally.failed.join("\n"));
}
