//! `iotrial schema`: what the files that iotrial writes look like, for programs that read them.

use std::process::ExitCode;

use crate::failure::Failure;
use crate::output;
use crate::schema::SCHEMAS;
use anyhow::anyhow;

/// Prints a schema, or lists them.
pub fn schema(name: Option<&str>) -> Result<ExitCode, Failure> {
    let Some(name) = name else {
        let list: String =
            SCHEMAS.iter().map(|schema| format!("{:<14} {}\n", schema.name, schema.about)).collect();
        output::text(&list)?;
        output::lines("\n`iotrial schema NAME` prints one, as JSON Schema (draft 2020-12)");
        return Ok(ExitCode::SUCCESS);
    };
    let schema = SCHEMAS.iter().find(|schema| schema.name == name).ok_or_else(|| {
        let names: Vec<&str> = SCHEMAS.iter().map(|schema| schema.name).collect();
        Failure::input(anyhow!("there is no schema `{name}`")).hint(format!("there are {}", names.join(", ")))
    })?;
    output::verbatim(schema.text)?;
    Ok(ExitCode::SUCCESS)
}
