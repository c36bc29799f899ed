//! Any text as a demand, and what meets it in a small catalog.

#![no_main]

use std::sync::LazyLock;

use iotrial_fuzz::show;
use iotrial_model::demand::Demand;
use iotrial_report::document::Document;
use iotrial_report::json_form::AsJson;
use iotrial_sizing::catalog::Catalog;
use iotrial_sizing::search::Search;
use iotrial_sizing::sizing::size;

static CATALOGS: LazyLock<Vec<Catalog>> = LazyLock::new(|| {
    vec![
        Catalog::parse(include_str!("../../catalogs/example-own-site.toml"))
            .expect("the example is a catalog"),
    ]
});

libfuzzer_sys::fuzz_target!(|text: &str| {
    let Ok(demand) = Demand::parse(text) else { return };
    Demand::parse(&demand.to_toml()).expect("a demand that was written can be read");
    let request = Search { answers: 2, ..Search::default() };
    if let Ok(sizing) = size(&CATALOGS, &demand, &request, &[]) {
        show::json(&AsJson(&sizing));
        show::document(&Document::of_sizing(&sizing, String::new()));
    }
});
