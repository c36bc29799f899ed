//! Any text as a configuration: what it delivers, costs and breaks in the catalog of its provider.

#![no_main]

use std::sync::LazyLock;

use iotrial_fuzz::show;
use iotrial_report::document::Document;
use iotrial_report::json_form::AsJson;
use iotrial_sizing::catalog::Catalog;
use iotrial_sizing::configuration::Configuration;
use iotrial_sizing::explanation::{Explanation, Question};
use iotrial_sizing::price::Money;

static CATALOGS: LazyLock<Vec<Catalog>> = LazyLock::new(Catalog::built_in);

libfuzzer_sys::fuzz_target!(|text: &str| {
    let Ok(configuration) = Configuration::parse(text) else { return };
    configuration.in_short();
    Configuration::parse(&configuration.to_toml()).expect("a configuration that was written can be read");
    let Some(catalog) = CATALOGS.iter().find(|catalog| catalog.provider == configuration.provider) else {
        return;
    };
    let Ok(resolved) = configuration.on(catalog) else { return };
    let question =
        Question { mixes: &[], demand: None, measurements: &[], money: Money::default(), burst: false };
    if let Ok(explanation) = Explanation::new(&resolved, &question) {
        show::json(&AsJson(&explanation));
        show::document(&Document::of_explanation(&explanation, &catalog.title, String::new()));
    }
});
