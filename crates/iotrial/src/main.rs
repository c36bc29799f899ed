//! iotrial puts storage on trial.

fn main() {}
