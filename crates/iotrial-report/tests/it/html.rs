//! What the HTML file is and is not.

use crate::fixture;

use std::collections::BTreeSet;

use iotrial_model::record::RunRecord;
use iotrial_model::subject::Subject;
use iotrial_report::document::Document;
use iotrial_report::html::render_html;

fn page_of(record: &RunRecord) -> String {
    render_html(&Document::of_result(&Subject::of_run(record), &fixture::summary(record)))
        .expect("the template fits")
}

fn all_records() -> [RunRecord; 8] {
    [
        fixture::oltp(),
        fixture::searched(),
        fixture::oltp_of(30, 1_200),
        fixture::interrupted(),
        fixture::empty(),
        fixture::simulated(),
        fixture::hostile(),
        fixture::formulas(),
    ]
}

/// Every tag with its attributes as written, `/` first where it closes.
fn tags(page: &str) -> Vec<&str> {
    let (before, rest) = page.split_once("<style>").expect("a page has a style sheet");
    let (_, after) = rest.split_once("</style>").expect("the style sheet ends");
    [before, after]
        .into_iter()
        .flat_map(|part| {
            part.split('<').skip(1).map(|tag| tag.split_once('>').expect("a `<` begins a tag").0)
        })
        .collect()
}

fn name(tag: &str) -> &str {
    tag.split([' ', '/', '\n']).find(|part| !part.is_empty()).unwrap_or_default()
}

#[test]
fn a_page_stays_below_one_mebibyte() {
    for record in all_records().iter().chain([&fixture::oltp_of(30, 300), &fixture::oltp_of(100, 500)]) {
        let size = page_of(record).len();
        assert!(size < 1 << 20, "{size} bytes for {} intervals", record.intervals.len());
    }
}

#[test]
fn tags_are_closed_in_the_order_in_which_they_were_opened() {
    const VOID: [&str; 3] = ["meta", "!doctype", "wbr"];
    for record in all_records() {
        let page = page_of(&record);
        let mut open = Vec::new();
        for tag in tags(&page) {
            if let Some(closed) = tag.strip_prefix('/') {
                assert_eq!(open.pop(), Some(closed), "`</{closed}>`");
            } else if !VOID.contains(&name(tag)) && !tag.ends_with('/') {
                open.push(name(tag));
            }
        }
        assert_eq!(open, Vec::<&str>::new());
    }
}

#[test]
fn ids_are_unique_and_what_refers_to_them_finds_them() {
    for record in all_records() {
        let page = page_of(&record);
        let values = |key: &str| -> Vec<String> {
            let key = format!(" {key}=\"");
            let parts = page.split(key.as_str()).skip(1);
            parts.map(|part| part.split('"').next().unwrap_or_default().to_owned()).collect()
        };
        let ids = values("id");
        let unique: BTreeSet<&String> = ids.iter().collect();
        assert_eq!(unique.len(), ids.len());
        for references in values("aria-labelledby") {
            assert!(references.split(' ').all(|id| unique.contains(&id.to_owned())), "{references}");
        }
    }
}

#[test]
fn nothing_is_loaded_and_nothing_runs() {
    let page = page_of(&fixture::hostile());
    // Links lead only to places in the page itself.
    let leads_out = |tag: &&str| !(name(tag) == "a" && (tag.contains(" href=\"#") || tag.starts_with('/')));
    for tag in tags(&page).into_iter().filter(leads_out) {
        let forbidden =
            ["script", "img", "link", "iframe", "object", "embed", "base", "form", "use", "image", "a"];
        assert!(!forbidden.contains(&name(tag)), "<{tag}>");
        for attribute in [" src=", " href=", " style=", " on", " xlink"] {
            let outside_quotes: String = tag.split('"').step_by(2).collect();
            assert!(!outside_quotes.contains(attribute), "<{tag}>");
        }
    }
    let style = &page[page.find("<style>").unwrap()..page.find("</style>").unwrap()];
    assert!(!style.contains("url(") && !style.contains("@import"));
}

#[test]
fn the_policy_admits_one_style_sheet_by_its_hash_and_nothing_else() {
    let page = page_of(&fixture::oltp());
    let policy =
        page.split("Content-Security-Policy\" content=\"").nth(1).unwrap().split('"').next().unwrap();
    assert!(policy.starts_with("default-src 'none'; style-src 'sha256-"), "{policy}");
    assert!(!policy.contains("unsafe"), "{policy}");
    assert!(page.find("Content-Security-Policy") < page.find("<style>"));
}

#[test]
fn a_table_of_any_width_shows_by_a_shadow_where_it_goes_on_and_no_words_guess_it() {
    let page = page_of(&fixture::oltp());
    let style = page.split("<style>").nth(1).unwrap().split("</style>").next().unwrap();
    let scroll = style.split("\n.scroll {").nth(1).unwrap().split('}').next().unwrap();
    assert!(scroll.contains("background-attachment: local, local, scroll, scroll"), "{scroll}");
    assert!(!page.contains("scroll it sideways"));
    // An opaque cell would hide the shadow below it.
    assert!(!style.contains("td.shade-6 { background: color-mix(in srgb, var(--heat) 40%, var(--page)"));
}

#[test]
fn text_from_files_stays_text() {
    let page = page_of(&fixture::hostile());
    assert!(!page.contains("<script") && !page.contains("<img"));
    assert!(page.contains("&lt;script&gt;alert(1)") && page.contains("{{ 7*7 }}"));
    assert!(!page.contains('\u{1b}') && !page.contains('\u{202e}'));
}

/// The first view of a page: what is neither folded nor below what is.
fn first_view(page: &str) -> &str {
    let body = page.split("<main id=\"content\">").nth(1).expect("a page has content");
    body.split("<details class=\"part\"").next().unwrap_or_default()
}

#[test]
fn a_page_begins_with_the_answer_at_most_five_figures_one_chart_and_where_it_was_measured() {
    for record in [fixture::oltp(), fixture::searched(), fixture::simulated()] {
        let page = page_of(&record);
        let first = first_view(&page);
        let place = |text: &str| first.find(text).unwrap_or_else(|| panic!("no `{text}` in {first}"));
        let order =
            ["data-outcome=", "<dl class=\"key-figures\">", "<svg class=\"chart\"", "<dl class=\"brief\">"];
        assert!(order.windows(2).all(|pair| place(pair[0]) < place(pair[1])));
        let figures = first.matches("<span class=\"figure\">").count();
        assert!((1..=5).contains(&figures), "{figures}");
        assert_eq!(first.matches("<svg class=\"chart\"").count(), 1);
        assert!(!first.contains("<table>") || first.contains("<details class=\"figures\">"));
        assert!(!first.contains("class=\"reasons\""), "reasons are folded");
        assert!(first.contains(record.host.name.as_str()), "the host is named");
    }
}

#[test]
fn a_figure_that_is_judged_stands_beside_its_limit_and_one_beyond_it_is_marked() {
    let page = page_of(&fixture::oltp());
    let figures = page.split("<dl class=\"key-figures\">").nth(1).unwrap().split("</dl>").next().unwrap();
    assert!(figures.contains("<div class=\"beyond\">"), "{figures}");
    assert!(figures.contains("<span class=\"beside\">limit "), "{figures}");
    let chart = page.split("id=\"front-limits-t\"").nth(1).unwrap().split("</svg>").next().unwrap();
    // One bar at least is beyond the line of the limit, and one is within it.
    assert!(chart.contains("class=\"across\"") && chart.contains("class=\"bar hue-0 decisive\""), "{chart}");
    assert!(chart.contains("class=\"bar hue-0\""), "{chart}");
}

#[test]
fn everything_but_the_first_view_is_folded_and_links_lead_into_it() {
    let several = render_html(&fixture::document_of_several(&fixture::several())).unwrap();
    for page in [page_of(&fixture::oltp()), page_of(&fixture::searched()), several] {
        let rest = &page[page.find(first_view(&page)).unwrap() + first_view(&page).len()..];
        assert!(rest.matches("<details class=\"part\">").count() > 5);
        assert!(!page.contains("<nav"), "what is folded is the list of contents");
        let links = page.split("href=\"#").skip(1).map(|part| part.split('"').next().unwrap());
        for link in links {
            // Browsers open what is folded where a link leads into it, and not to the fold itself.
            assert!(!page.contains(&format!("<details id=\"{link}\"")), "{link}");
            assert!(page.contains(&format!(" id=\"{link}\"")), "{link}");
        }
    }
    let several = render_html(&fixture::document_of_several(&fixture::several())).unwrap();
    assert_eq!(several.matches("<details class=\"chapter-fold\">").count(), 3);
}

#[test]
fn a_comparison_begins_with_a_bar_for_each_configuration_and_ends_its_answer_with_the_factor() {
    let page = render_html(&fixture::comparison()).unwrap();
    let first = first_view(&page);
    assert!(first.find("<svg class=\"chart\"") < first.find("<dl class=\"brief\">"));
    let chart = first.split("id=\"front-decisive-t\"").nth(1).unwrap();
    assert!(chart.matches("<path class=\"bar hue-0\"").count() > 1, "{chart}");
}

#[test]
fn a_title_of_the_user_is_the_title_of_the_page_and_stays_text() {
    let document =
        Document::of_result(&Subject::of_run(&fixture::oltp()), &fixture::summary(&fixture::oltp()));
    let page = render_html(&document.titled("ERP <volume>")).unwrap();
    assert!(page.contains("<title>ERP &lt;volume&gt;</title>"));
    assert!(page.contains("<h1>ERP &lt;volume&gt;</h1>"));
}

#[test]
fn print_has_everything_and_what_follows_the_answer_is_an_appendix() {
    let page = page_of(&fixture::oltp());
    let print = page.split("@media print").nth(1).unwrap();
    assert!(print.contains("details::details-content { content-visibility: visible;"));
    let appendix = page.find("<div class=\"appendix\">").unwrap();
    assert!(page.find("<section id=\"roles\"").unwrap() < appendix);
    assert!(page.find("<section id=\"host\"").unwrap() > appendix);
    // Why it is so is on the first page, as far as it has room.
    assert!(page.find("<section id=\"circumstances\"").unwrap() < appendix);
}

#[test]
fn every_interval_of_a_short_run_can_be_pointed_at() {
    let page = page_of(&fixture::oltp());
    assert!(page.contains("<title>17.5\u{a0}s\ndata read: "), "no column for second 17");
}

#[test]
fn a_run_without_io_has_no_charts_and_no_number_that_is_none() {
    let page = page_of(&fixture::empty());
    assert!(!page.contains("<svg") && page.contains("–"));
    for record in all_records() {
        assert!(!page_of(&record).contains("NaN") && !page_of(&record).contains("inf "));
    }
}

#[test]
fn every_chart_has_its_figures_in_a_table_that_is_closed_at_first_and_not_printed() {
    let several = render_html(&fixture::comparison()).unwrap();
    for page in [page_of(&fixture::oltp()), page_of(&fixture::searched()), several] {
        let charts = page.matches("<svg class=\"chart\"").count();
        assert!(charts > 0 && page.matches("<details class=\"figures\">").count() == charts);
        for figures in page.split("<details class=\"figures\">").skip(1) {
            let table = figures.split("</details>").next().unwrap();
            let rows = table.matches("<tr>").count() - 1;
            assert!((1..=20).contains(&rows), "{rows} rows in {table}");
            let cells = table.matches("<th>").count() + table.matches("<td>").count();
            assert_eq!(cells, rows * table.matches("<th scope=\"col\">").count());
        }
        let print = page.split("@media print").nth(1).unwrap();
        assert!(print.contains(".figures { display: none; }"));
    }
}

#[test]
fn the_page_of_a_run_of_300_seconds_stays_below_320_kilobytes_with_its_heat_maps_and_figures() {
    let page = page_of(&fixture::oltp_of(30, 300));
    assert!(page.len() < 320_000, "{} bytes", page.len());
    assert_eq!(page.matches("<g transform=").count(), 5, "a map for each stream");
}

#[test]
fn several_runs_are_one_page_with_unique_ids_and_a_chapter_for_each() {
    let page = render_html(&fixture::document_of_several(&fixture::several())).unwrap();
    assert_eq!(page.matches("<section class=\"chapter\"").count(), 3);
    let ids = page.split(" id=\"").skip(1).map(|part| part.split('"').next().unwrap_or_default());
    let ids: Vec<&str> = ids.collect();
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len());
    assert!(!page.contains("NaN"));
}

#[test]
fn a_bar_has_its_error_bar_and_one_that_is_missing_is_a_dash() {
    let page = render_html(&fixture::kinds()).unwrap();
    assert_eq!(page.matches("class=\"error-bar\"").count(), 8);
    assert!(page.contains("data read\none big volume: 22,800\u{a0}IOPS, 20,900 to 24,700\u{a0}IOPS"));
    assert!(page.contains("class=\"value\"") && page.contains(">–</text>"));
}

#[test]
fn measured_points_are_markers_and_what_was_fitted_is_a_line() {
    let page = render_html(&fixture::kinds()).unwrap();
    let saturation = page.split("<section id=\"saturation\"").nth(1).unwrap();
    let chart = saturation.split("<svg class=\"chart\"").nth(1).unwrap();
    assert_eq!(chart.matches("class=\"line ").count(), 1);
    let markers = chart.split("class=\"mark hue-0\" d=\"").nth(1).unwrap().split('"').next().unwrap();
    assert_eq!(markers.matches('M').count(), 8);
}

#[test]
fn a_search_shows_its_rates_its_limit_and_what_held() {
    let page = page_of(&fixture::searched());
    let search = page.split("<section id=\"search\"").nth(1).unwrap();
    let chart = search.split("<svg class=\"chart\"").nth(1).unwrap();
    let marks = |class: &str| {
        let path =
            chart.split(&format!("class=\"{class}\" d=\"")).nth(1).unwrap_or_else(|| panic!("no {class}"));
        path.split('"').next().unwrap().matches('M').count()
    };
    // Two probes and the confirmation hold, and that one is ringed; of those that do not, one has no latency.
    assert_eq!((marks("mark hue-2"), marks("mark hue-1"), marks("ring hue-2")), (3, 1, 1));
    assert!(chart.contains("<title>limit for 2ms@p99"), "{chart}");
    assert!(chart.contains("<title>36,000\u{a0}IOPS\nfailed: 260"), "{chart}");
    for name in ["passed", "failed", "confirmed", "limit: acceptable below"] {
        assert!(search.contains(&format!("</svg>{name}</li>")), "{name}");
    }
}

#[test]
fn a_percentile_curve_has_the_limit_up_to_its_percentile() {
    let page = page_of(&fixture::oltp());
    let curve = page.split("<section id=\"distribution\"").nth(1).unwrap();
    assert!(curve.contains("<title>limit for data</title>") && curve.contains("class=\"limit-end\""));
}

/// The levels of all headings, in their order.
fn levels(page: &str) -> Vec<u32> {
    let starts = tags(page).into_iter().filter(|tag| !tag.starts_with('/')).map(name);
    starts.filter_map(|name| name.strip_prefix('h')?.parse().ok()).collect()
}

#[test]
fn a_page_has_one_first_heading_and_skips_no_level() {
    let several = render_html(&fixture::document_of_several(&fixture::several())).unwrap();
    let compared = render_html(&fixture::comparison()).unwrap();
    for page in [page_of(&fixture::oltp()), page_of(&fixture::searched()), several, compared] {
        let levels = levels(&page);
        assert_eq!(levels.iter().filter(|level| **level == 1).count(), 1, "{levels:?}");
        assert!(levels.windows(2).all(|pair| pair[1] <= pair[0] + 1), "{levels:?}");
    }
}

#[test]
fn evidence_shows_no_key_of_a_file() {
    for record in all_records() {
        let page = page_of(&record);
        for evidence in page.split("<p class=\"evidence\">").skip(1) {
            let names = evidence.split("</p>").next().unwrap().split("<span>").skip(1);
            for name in names.map(|span| span.split("<b>").next().unwrap()) {
                assert!(!name.contains('_'), "{name}");
            }
        }
    }
}

#[test]
fn a_comparison_says_what_was_measured() {
    let page = render_html(&fixture::comparison()).unwrap();
    let block = page.split("<section id=\"measured\"").nth(1).expect("the block");
    let block = block.split("</section>").next().unwrap().replace("&#x2f;", "/").replace("<wbr>", "");
    let record = fixture::oltp();
    for part in [
        record.host.name.as_str(),
        record.targets[0].path.as_str(),
        "(xfs on nvme1n1",
        "sqlserver-main",
        "outstanding I/Os",
        "uring, direct I/O",
        record.tool.version.as_str(),
        " UTC",
    ] {
        assert!(block.contains(part), "{part} is not in {block}");
    }
}

#[test]
fn a_simulated_comparison_is_neither_good_nor_bad_and_says_so_in_the_line_of_its_recommendation() {
    let page = render_html(&fixture::comparison_of_simulated()).unwrap();
    let answer = page.split("<div class=\"verdict ").nth(1).unwrap().split("</div>").next().unwrap();
    assert!(answer.starts_with("open\""), "{answer}");
    assert!(answer.contains("<strong>Simulated, not measured: "), "{answer}");
    assert!(answer.contains("every device was simulated"), "{answer}");
    let text = iotrial_report::terminal::render_terminal(
        &fixture::comparison_of_simulated(),
        iotrial_report::terminal::TerminalStyle { width: 100, color: false },
    );
    assert!(text.contains("Simulated, not measured: "), "{text}");
}
