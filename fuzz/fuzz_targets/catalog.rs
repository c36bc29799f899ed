//! Any text as a catalog, and the cheapest answer to a small demand in it.

#![no_main]

use iotrial_fuzz::show;
use iotrial_model::demand::{Demand, DemandStream};
use iotrial_model::load::Direction;
use iotrial_report::document::Document;
use iotrial_report::json_form::AsJson;
use iotrial_sizing::catalog::Catalog;
use iotrial_sizing::search::Search;
use iotrial_sizing::sizing::size;

fn demand() -> Demand {
    let stream = |direction| DemandStream { role: None, direction, iops: 4_000.0, block_size_bytes: 8_192.0 };
    Demand::new("it", vec![stream(Direction::Read), stream(Direction::Write)])
}

libfuzzer_sys::fuzz_target!(|text: &str| {
    let Ok(catalog) = Catalog::parse(text) else { return };
    let request = Search { answers: 2, ..Search::default() };
    if let Ok(sizing) = size(&[catalog], &demand(), &request, &[]) {
        show::json(&AsJson(&sizing));
        show::document(&Document::of_sizing(&sizing, String::new()));
    }
});
