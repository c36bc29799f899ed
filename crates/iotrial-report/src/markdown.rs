//! The document as Markdown, for tickets and wikis: everything but charts and the texts that are shown word
//! for word.

use iotrial_model::record::Severity;

use crate::document::{Answer, Block, Document, Fact, FindingLine, Section, VerdictBlock};
use crate::quantity::{LatencyUnit, Quantity};
use crate::table::{Table, category_word};
use crate::text::without_steering;

/// The document in GitHub's Markdown. Names from strangers' files stay text.
pub fn render_markdown(document: &Document) -> String {
    let mut page = Page { text: String::new(), unit: document.latency_unit(), level: 1 };
    page.part(document, None);
    // Chapters are one level below the document, whatever their own depth.
    for (number, chapter) in document.parts().into_iter().enumerate().skip(1) {
        page.level = 2;
        page.part(chapter, Some(number));
    }
    page.text
}

/// The text so far.
struct Page {
    text: String,
    unit: LatencyUnit,
    /// The level of the heading of the part that is being written.
    level: usize,
}

impl Page {
    /// A block of text with an empty line before it.
    fn block(&mut self, block: &str) {
        // Markdown needs an empty line before a table or list, or it becomes part of the paragraph.
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(block.trim_end());
        self.text.push('\n');
    }

    fn heading(&mut self, level: usize, heading: &str) {
        self.block(&format!("{} {heading}", "#".repeat(level)));
    }

    fn part(&mut self, part: &Document, number: Option<usize>) {
        let number = number.map(|number| format!("{number} ")).unwrap_or_default();
        self.heading(self.level, &format!("{number}{}", escape(&part.title)));
        self.block(&escape(&part.byline));
        // The answer comes before the circumstances, and these before the figures.
        let (opening, rest): (Vec<&Section>, Vec<&Section>) =
            part.sections.iter().partition(|section| section.heading.is_empty());
        opening.into_iter().for_each(|section| self.section(section));
        let brief = part.in_brief.iter().map(|(name, text)| format!("- {}: {}", escape(name), escape(text)));
        let brief: Vec<String> = brief.collect();
        if !brief.is_empty() {
            self.block(&brief.join("\n"));
        }
        rest.into_iter().for_each(|section| self.section(section));
    }

    fn section(&mut self, section: &Section) {
        let is_shown = |block: &&Block| {
            !matches!(block, Block::Charts(_) | Block::HeatMaps(_) | Block::Bars(_) | Block::Verbatim { .. })
        };
        let blocks: Vec<&Block> = section.blocks.iter().filter(is_shown).collect();
        // A section of charts alone would be a heading with nothing below.
        if blocks.is_empty() {
            return;
        }
        if !section.heading.is_empty() {
            self.heading(self.level + 1, section.heading);
        }
        if let Some(note) = &section.note {
            self.block(&escape(note));
        }
        let has_captions = section.blocks.len() > 1;
        for block in blocks {
            match block {
                Block::Verdict(verdict) => self.verdict(verdict),
                Block::Answer(answer) | Block::Statement(answer) => self.answer(answer),
                Block::Findings(findings) => {
                    let lines: Vec<String> = findings.iter().map(|one| self.finding(one)).collect();
                    self.block(&lines.join("\n"));
                }
                Block::Table(table) => {
                    if has_captions {
                        self.block(&format!("**{}**", escape(&table.caption)));
                    }
                    self.table(table);
                }
                Block::Facts(facts) => self.facts(facts),
                Block::Charts(_) | Block::HeatMaps(_) | Block::Bars(_) | Block::Verbatim { .. } => {}
            }
        }
    }

    fn verdict(&mut self, verdict: &VerdictBlock) {
        let category = verdict.decisive_category().map(|category| format!(" ({})", category_word(category)));
        let answer = format!("**{}**{}", verdict.word(), category.unwrap_or_default());
        self.block(&format!("{answer}: {}", escape(&verdict.sentence)));
        if let Some(advice) = &verdict.advice {
            self.block(&escape(advice));
        }
        if let Some(ended) = &verdict.ended {
            self.block(&escape(ended));
        }
        self.points(&verdict.reasons);
    }

    fn answer(&mut self, answer: &Answer) {
        self.block(&match answer.sentence.as_str() {
            "" => format!("**{}**", escape(&answer.headline)),
            sentence => format!("**{}**: {}", escape(&answer.headline), escape(sentence)),
        });
        self.points(&answer.points);
        for list in &answer.lists {
            self.block(&format!("**{}**", escape(list.heading)));
            self.points(&list.points);
        }
    }

    fn points(&mut self, points: &[String]) {
        let lines: Vec<String> = points.iter().map(|point| format!("- {}", escape(point))).collect();
        if !lines.is_empty() {
            self.block(&lines.join("\n"));
        }
    }

    fn finding(&self, finding: &FindingLine) -> String {
        let severity = match finding.severity {
            Severity::Note => finding.label().to_owned(),
            Severity::Warning | Severity::Serious => format!("**{}**", finding.label()),
        };
        let evidence = finding.evidence.iter().map(|fact| {
            let value = fact.value.written_with_unit(fact.quantity, self.unit);
            format!("{} {}", escape(&fact.name), escape(&value))
        });
        // Sentences and commands are read line by line.
        let between = if finding.is_in_full() { "\n  - " } else { "; " };
        let evidence = evidence.collect::<Vec<_>>().join(between);
        let evidence = if finding.is_in_full() { format!("- {evidence}") } else { evidence };
        let below = if evidence.is_empty() { String::new() } else { format!("\n  {evidence}") };
        let tag = finding.tag().map(|tag| format!(" ({})", escape(tag))).unwrap_or_default();
        format!("- {severity}: {}{tag}{below}", escape(&finding.message))
    }

    fn table(&mut self, table: &Table) {
        let formats = table.formats(self.unit);
        let columns = || table.columns.iter().zip(&formats);
        let headers = columns().map(|(column, format)| escape(&column.full_name(format.unit)));
        let rule =
            // Colons align numbers to the right.
            columns().map(|(column, _)| if column.quantity == Quantity::Words { "---" } else { "--:" });
        let mut lines = vec![line(headers), line(rule.map(str::to_owned))];
        for row in &table.rows {
            let cells = row.cells.iter().zip(columns()).map(|(value, (column, format))| {
                let cell = escape(&value.written(column.quantity, format));
                if row.is_total { format!("**{cell}**") } else { cell }
            });
            lines.push(line(cells));
        }
        self.block(&lines.join("\n"));
    }

    fn facts(&mut self, facts: &[Fact]) {
        let row = |fact: &Fact| {
            let value = fact.value.written_with_unit(fact.quantity, self.unit);
            line([escape(&fact.name), escape(&value)].into_iter())
        };
        let head = [line(["name", "value"].map(str::to_owned).into_iter()), "| --- | --- |".to_owned()];
        let lines: Vec<String> = head.into_iter().chain(facts.iter().map(row)).collect();
        self.block(&lines.join("\n"));
    }
}

fn line(cells: impl Iterator<Item = String>) -> String {
    let cells = cells.collect::<Vec<_>>().join(" | ");
    format!("| {cells} |")
}

/// A character without width, as the programs that write into other people's tickets have it: forges make links of `@name` and `#1` when
/// the Markdown is rendered already, so that neither a backslash nor the entity of the sign keeps them from it.
const NO_REFERENCE: &str = "&#8203;";

/// Text on one line that means nothing in Markdown: no markup, link, mention, reference or tag.
fn escape(text: &str) -> String {
    let text = without_steering(text).replace(['\n', '\r', '\t'], " ");
    // A line break would end a table's row.
    let text = text.trim();
    let mut escaped = String::with_capacity(text.len());
    // What begins a list, a heading or a rule does so only at the beginning.
    let number = text.chars().take_while(char::is_ascii_digit).count();
    let begins_list = text.chars().nth(number + 1).is_none_or(char::is_whitespace);
    for (index, (at, c)) in text.char_indices().enumerate() {
        let begins_block = (index == 0 && matches!(c, '#' | '+' | '-' | '='))
            || (begins_list && index > 0 && index == number && matches!(c, '.' | ')'));
        match c {
            // All signs with a meaning inside a line, in GitHub's dialect: `$` begins mathematics, `~`
            // strikes out.
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '$' | '!' => escaped.extend(['\\', c]),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            // GitHub turns `@name` into a mention, and the person gets mail.
            '@' => escaped.extend(["@", NO_REFERENCE]),
            _ if begins_block => escaped.extend(['\\', c]),
            _ => escaped.push(c),
        }
        // `#1` and `GH-1` are issues.
        let is_before_number = text[at + c.len_utf8()..].starts_with(|next: char| next.is_ascii_digit());
        let begins_issue = match c {
            '#' => true,
            '-' => text[..at].to_ascii_uppercase().ends_with("GH"),
            _ => false,
        };
        if begins_issue && is_before_number {
            escaped.push_str(NO_REFERENCE);
        }
    }
    // A bare address would become a link.
    escaped.replace("://", "&#58;//").replace("www.", "www&#46;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_means_nothing_in_markdown() {
        let cases = [
            ("plain text, 3.5 ms", "plain text, 3.5 ms"),
            ("<b>&|`x`", "&lt;b&gt;&amp;\\|\\`x\\`"),
            ("![a](http://b)", "\\!\\[a\\](http&#58;//b)"),
            ("# no heading", "\\# no heading"),
            ("- no item", "\\- no item"),
            ("12. no item", "12\\. no item"),
            ("12.5 ms", "12.5 ms"),
            ("two\nlines | and a cell", "two lines \\| and a cell"),
            ("@everybody", "@&#8203;everybody"),
            (
                "fixes #12, a/b#3, GH-4 and gh-5",
                "fixes #&#8203;12, a/b#&#8203;3, GH-&#8203;4 and gh-&#8203;5",
            ),
            ("#1", "\\#&#8203;1"),
            ("# 1, 3-4", "\\# 1, 3-4"),
        ];
        for (text, expected) in cases {
            assert_eq!(escape(text), expected);
        }
    }
}
