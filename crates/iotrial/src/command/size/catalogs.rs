//! `iotrial size catalogs`: what is known, of when, and what is not.

use std::process::ExitCode;

use iotrial_report::catalogs::CatalogAge;
use iotrial_report::document::Document;
use iotrial_session::wall_clock;
use iotrial_sizing::catalog::Catalog;
use jiff::civil::Date;
use serde::Serialize;

use super::known;
use crate::cli::CatalogsArgs;
use crate::failure::Failure;
use crate::output;
use crate::presentation::text_of;

/// Older figures have probably changed: limits doubled within a year more than once.
const OLD_DAYS: i64 = 365;

/// What `--json` prints for each catalog.
#[derive(Serialize)]
struct JsonCatalog<'c> {
    provider: &'c str,
    title: &'c str,
    #[serde(skip_serializing_if = "Option::is_none")]
    catalog_file: Option<&'c str>,
    region: Option<&'c str>,
    currency: &'c str,
    hours_per_month: f64,
    volume_count: usize,
    machine_count: usize,
    priced_machine_count: usize,
    oldest: Option<&'c str>,
    newest: Option<&'c str>,
    oldest_days: Option<i64>,
    warnings: Vec<String>,
    gaps: Vec<&'c str>,
}

/// Lists them, or one in full.
pub(super) fn catalogs(args: &CatalogsArgs) -> Result<ExitCode, Failure> {
    let catalogs = known::all_catalogs(&args.files)?;
    let shown: Vec<&Catalog> = match &args.provider {
        Some(provider) => vec![known::find(&catalogs, provider)?],
        None => catalogs.iter().collect(),
    };
    // The built-in text and not what was read: comments and sources are what somebody edits a catalog by.
    if args.print.is_some() {
        let provider = args.provider.as_deref().unwrap_or_default();
        let text = Catalog::built_in_text(provider).ok_or_else(|| {
            Failure::input(anyhow::anyhow!("`{provider}` is not built in"))
                .hint("your own catalog is the file that you gave".to_owned())
        })?;
        output::verbatim(text)?;
        return Ok(ExitCode::SUCCESS);
    }
    // The only place of the command that asks for the date: what is old depends on it, limits and prices do not.
    let today = wall_clock::today();
    let ages: Vec<CatalogAge<'_>> = shown.iter().map(|catalog| age(catalog, today)).collect();
    let warnings: Vec<Vec<String>> = shown.iter().map(|catalog| warnings(catalog, today)).collect();
    if args.json {
        let list: Vec<JsonCatalog<'_>> = shown
            .iter()
            .zip(&ages)
            .zip(&warnings)
            .map(|((catalog, age), warnings)| json_catalog(catalog, age.oldest_days, warnings))
            .collect();
        output::json(&list)?;
        return Ok(ExitCode::SUCCESS);
    }
    let byline = format!("as of {today}; iotrial {}", env!("CARGO_PKG_VERSION"));
    let document = Document::of_catalogs(&ages, &warnings.concat(), byline);
    output::painted(&text_of(&document, &[]))?;
    Ok(ExitCode::SUCCESS)
}

fn json_catalog<'c>(catalog: &'c Catalog, oldest_days: Option<i64>, warnings: &[String]) -> JsonCatalog<'c> {
    JsonCatalog {
        provider: &catalog.provider,
        title: &catalog.title,
        catalog_file: catalog.of_file.as_deref(),
        region: catalog.region.as_deref(),
        currency: &catalog.currency,
        hours_per_month: catalog.hours_per_month,
        volume_count: catalog.volumes.len(),
        machine_count: catalog.machines.len(),
        priced_machine_count: catalog.machines.iter().filter(|machine| machine.price.is_some()).count(),
        oldest: catalog.oldest().0,
        newest: catalog.newest(),
        oldest_days,
        warnings: warnings.to_vec(),
        gaps: catalog.gaps.iter().map(|gap| gap.text.as_str()).collect(),
    }
}

fn days_since(day: Option<&str>, today: Date) -> Option<i64> {
    let day: Date = day?.parse().ok()?;
    Some(i64::from((today - day).get_days()))
}

fn age(catalog: &Catalog, today: Date) -> CatalogAge<'_> {
    CatalogAge {
        catalog,
        oldest_days: days_since(catalog.oldest().0, today),
        newest_days: days_since(catalog.newest(), today),
    }
}

/// What of a catalog is so old that it should be looked up again.
fn warnings(catalog: &Catalog, today: Date) -> Vec<String> {
    let sources = catalog.sources.len();
    let old = |day: &Option<String>| days_since(day.as_deref(), today).is_some_and(|days| days > OLD_DAYS);
    let old_count = catalog.sources.values().filter(|source| old(&source.as_of)).count();
    let undated = catalog.sources.values().filter(|source| source.as_of.is_none()).count();
    let mut warnings = Vec::new();
    if old_count > 0 {
        let oldest = catalog.oldest().0.unwrap_or("?");
        warnings.push(format!(
            "{}: {old_count} of {sources} sources are older than a year, the oldest is from {oldest}; `iotrial docs catalogs` says how to update them",
            catalog.provider
        ));
    }
    // A slip in a date would otherwise make a source young for ever.
    let is_ahead = |day: &Option<String>| days_since(day.as_deref(), today).is_some_and(|days| days < 0);
    for (name, source) in catalog.sources.iter().filter(|(_, source)| is_ahead(&source.as_of)) {
        let day = source.as_of.as_deref().unwrap_or_default();
        warnings.push(format!(
            "{}: the source `{name}` is dated {day}, which is in the future",
            catalog.provider
        ));
    }
    if undated > 0 {
        warnings.push(format!("{}: {undated} of {sources} sources have no date", catalog.provider));
    }
    warnings
}
