//! Checks, benchmarks and generated files of the workspace.

fn main() {}
