//! `cargo xtask catalog`: renews a catalog of `catalogs` from the files in which its provider publishes prices and limits.
//!
//! The files are read by the layout that their provider gives them; nothing is downloaded. What they say is compared with the
//! catalog, and written into it only when asked. A catalog is a page that people write: comments, notes, order and rows that no
//! file mentions stay as they are.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, anyhow, bail};

mod offer;
mod document;
mod json;
mod aws;
mod azure;
mod azure_page;
mod gcp;
mod oci;

use document::{Change, Document};
use offer::Offer;

const USAGE: &str = "\
Usage: cargo xtask catalog PROVIDER FILE... [--write] [--as-of DAY] [--rows SOURCE] [--catalog PATH]

Shows what public files of a provider would change in its catalog: rows that are added, figures that change, rows that are gone.

Arguments:
  PROVIDER   aws, azure, gcp or oci
  FILE...    aws:   offer file of the AWS Price List (JSON or CSV), `aws ec2 describe-instance-types` (JSON)
             azure: answer of prices.azure.com/api/retail/prices (JSON), a page of sizes of azure-compute-docs (Markdown)
             gcp:   `skus` of the Cloud Billing Catalog API for Compute Engine (JSON)
             oci:   answer of apexapps.oracle.com/pls/apex/cetools/api/v1/products/ (JSON)

Options:
  --write         write it into the catalog; rows that are gone stay, for a person to decide
  --as-of DAY     the day of the files, such as 2026-11-23, where they do not say it themselves
  --rows SOURCE   add machines that the catalog does not have, with this [source]; without it they are counted only
  --catalog PATH  the catalog to compare with [default: catalogs/PROVIDER.toml]

Examples:
  cargo xtask catalog azure retail-eastus.json
  cargo xtask catalog azure edsv6-series.md --rows edsv6 --write
  cargo xtask catalog aws describe-instance-types.json offer.csv --as-of 2026-11-23 --write";

/// More than any of the files has: the AWS offer file of EC2 in one region is about 400 MB.
const LARGEST: u64 = 1 << 30;

/// What the command line asks for.
struct Request {
    provider: String,
    files: Vec<PathBuf>,
    is_written: bool,
    as_of: Option<String>,
    rows: Option<String>,
    catalog: Option<PathBuf>,
}

pub(crate) fn catalog(arguments: &[String], root: &Path) -> anyhow::Result<ExitCode> {
    if arguments.is_empty() || arguments.iter().any(|argument| matches!(argument.as_str(), "--help" | "-h")) {
        println!("{USAGE}");
        return Ok(ExitCode::SUCCESS);
    }
    let request = read_arguments(arguments)?;
    let path =
        request.catalog.clone().unwrap_or_else(|| root.join(format!("catalogs/{}.toml", request.provider)));
    let text =
        fs::read_to_string(&path).with_context(|| format!("cannot read the catalog `{}`", path.display()))?;
    let mut document = Document::parse(&text).map_err(|error| anyhow!("`{}`: {error}", path.display()))?;
    let mut changed = 0;
    for file in &request.files {
        let size = fs::metadata(file).with_context(|| format!("cannot read `{}`", file.display()))?.len();
        if size > LARGEST {
            bail!("`{}` has {size} bytes; no price list has so many", file.display());
        }
        let text = fs::read_to_string(file).with_context(|| format!("cannot read `{}`", file.display()))?;
        let offer = read_offer(&request.provider, &text, &document)
            .map_err(|error| anyhow!("`{}`: {error}", file.display()))?;
        changed += renew(&mut document, &offer, &request, file)?;
    }
    if request.is_written && changed > 0 {
        fs::write(&path, document.text()).with_context(|| format!("cannot write `{}`", path.display()))?;
        println!(
            "written to {}; `iotrial size catalogs --catalog {}` checks it",
            path.display(),
            path.display()
        );
    } else if changed > 0 {
        println!("nothing is written; --write does");
    }
    Ok(ExitCode::SUCCESS)
}

fn read_arguments(arguments: &[String]) -> anyhow::Result<Request> {
    let mut rest = arguments.iter();
    let provider = rest.next().context("the provider is missing, see `cargo xtask catalog --help`")?.clone();
    let mut request =
        Request { provider, files: Vec::new(), is_written: false, as_of: None, rows: None, catalog: None };
    while let Some(argument) = rest.next() {
        let mut value =
            || rest.next().cloned().with_context(|| format!("the value of `{argument}` is missing"));
        match argument.as_str() {
            "--write" => request.is_written = true,
            "--as-of" => request.as_of = Some(day(&value()?)?),
            "--rows" => request.rows = Some(value()?),
            "--catalog" => request.catalog = Some(PathBuf::from(value()?)),
            option if option.starts_with("--") => {
                bail!("unknown option `{option}`, see `cargo xtask catalog --help`")
            }
            file => request.files.push(PathBuf::from(file)),
        }
    }
    if request.files.is_empty() {
        bail!("no file is given, see `cargo xtask catalog --help`");
    }
    Ok(request)
}

fn day(text: &str) -> anyhow::Result<String> {
    let parts: Vec<&str> = text.split('-').collect();
    let is_number =
        |part: &&str, length: usize| part.len() == length && part.bytes().all(|byte| byte.is_ascii_digit());
    match &parts[..] {
        [year, month, day] if is_number(year, 4) && is_number(month, 2) && is_number(day, 2) => {
            Ok(text.to_owned())
        }
        _ => bail!("a day is written as 2026-11-23, not as `{text}`"),
    }
}

fn read_offer(provider: &str, text: &str, document: &Document) -> Result<Offer, String> {
    match provider {
        "aws" => aws::read(text, &document.region()),
        "azure" => azure::read(text, &document.region()),
        "gcp" => gcp::read(text, &document.region(), &document.machines()),
        "oci" => oci::read(text),
        other => {
            Err(format!("nothing is known of the files of `{other}`; there are aws, azure, gcp and oci"))
        }
    }
}

/// Compares one file, takes over what it says, and returns how many changes that made.
fn renew(document: &mut Document, offer: &Offer, request: &Request, file: &Path) -> anyhow::Result<usize> {
    let as_of = request.as_of.clone().or_else(|| offer.as_of.clone());
    let changes =
        document.take(offer, request.rows.as_deref(), as_of.as_deref()).map_err(|error| anyhow!(error))?;
    let count = |is: fn(&Change) -> bool| changes.iter().filter(|change| is(change)).count();
    println!(
        "{}{}: {} changed, {} added, {} gone, {} not in the catalog",
        file.display(),
        as_of.as_deref().map_or(String::new(), |day| format!(" of {day}")),
        count(|change| matches!(change, Change::Changed { .. })),
        count(|change| matches!(change, Change::Added { .. })),
        count(|change| matches!(change, Change::Gone { .. })),
        count(|change| matches!(change, Change::Unknown { .. })),
    );
    for change in changes.iter().filter(|change| !matches!(change, Change::Unknown { .. })) {
        println!("  {change}");
    }
    let made = count(|change| matches!(change, Change::Changed { .. } | Change::Added { .. }));
    if made > 0 && as_of.is_none() {
        bail!("`{}` does not say of which day it is: --as-of does", file.display());
    }
    Ok(made)
}

#[cfg(test)]
mod tests;
