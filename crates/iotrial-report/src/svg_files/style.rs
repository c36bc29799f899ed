//! The style sheet of the page for a drawing that has none: classes become attributes.

use std::collections::BTreeMap;

/// What a drawing needs of the style sheet; the rest is about pages.
// `stroke` of names is left out below: without `paint-order`, which few programs know, it would cover the letters.
const PROPERTIES: [&str; 10] = [
    "fill",
    "stroke",
    "stroke-width",
    "stroke-dasharray",
    "stroke-linecap",
    "stroke-linejoin",
    "stroke-opacity",
    "fill-opacity",
    "font-size",
    "font-weight",
];
/// What stands around a chart, in the words of the style sheet.
const OWN: &str = ".page { fill: var(--page); } \
    .chart .title { fill: var(--ink); font-size: 15px; font-weight: 600; } \
    .chart .key { fill: var(--ink); font-size: 12.5px; }";

/// The rules of the style sheet that are about drawings.
pub(super) struct Style {
    /// In the order of the sheet: what has to be there, and what it sets.
    rules: Vec<(Selector, Vec<(String, String)>)>,
}

/// One element by its name or its classes, whatever it is in.
struct Selector {
    element: Option<String>,
    classes: Vec<String>,
    /// How many names and classes, those of elements around it too: the more of them, the stronger.
    weight: (usize, usize),
}

impl Selector {
    /// `None` of what is no element of a drawing: states, attributes, and parts of pages.
    fn of(text: &str) -> Option<Self> {
        // A class of drawings may have a meaning of its own in a table: `.key-figures .unit`.
        let is_of_page = text.contains(' ') && !text.starts_with(".chart ");
        if is_of_page || text.contains([':', '[', '>', '+', '*', '~']) {
            return None;
        }
        let (mut class_count, mut element_count) = (0, 0);
        let mut last = (None, Vec::new());
        for compound in text.split_whitespace() {
            let mut parts = compound.split('.');
            let element = parts.next().filter(|name| !name.is_empty()).map(str::to_owned);
            let classes: Vec<String> = parts.map(str::to_owned).collect();
            class_count += classes.len();
            element_count += usize::from(element.is_some());
            last = (element, classes);
        }
        let (element, classes) = last;
        Some(Self { element, classes, weight: (class_count, element_count) })
    }

    fn is_of(&self, element: &str, classes: &[&str]) -> bool {
        self.element.as_deref().is_none_or(|name| name == element)
            && self.classes.iter().all(|class| classes.contains(&class.as_str()))
    }
}

impl Style {
    /// The style sheet of the page in its light form.
    pub(super) fn of_page() -> Self {
        let sheet = include_str!("../html/style.css");
        // Dark pages, phones and paper come after the rules for all of them.
        let sheet = without_comments(sheet);
        let sheet = without_media(&sheet) + OWN;
        let mut variables: BTreeMap<String, String> = BTreeMap::new();
        let mut rules = Vec::new();
        for rule in sheet.split('}') {
            let Some((selectors, body)) = rule.split_once('{') else { continue };
            let declarations = body.split(';').filter_map(|one| one.split_once(':'));
            let declarations: Vec<(String, String)> =
                declarations.map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned())).collect();
            if selectors.trim() == ":root" {
                variables.extend(declarations.into_iter().filter(|(name, _)| name.starts_with("--")));
                continue;
            }
            let drawn: Vec<(String, String)> = declarations
                .into_iter()
                .filter(|(name, _)| PROPERTIES.contains(&name.as_str()))
                .map(|(name, value)| (name, resolved(&value, &variables)))
                .collect();
            for selector in selectors.split(',').filter_map(|text| Selector::of(text.trim())) {
                rules.push((selector, drawn.clone()));
            }
        }
        // Stable: of two rules of one weight the later one wins.
        rules.sort_by_key(|(selector, _)| selector.weight);
        Self { rules }
    }

    /// The attributes of an element with these classes.
    fn attributes(&self, element: &str, classes: &[&str]) -> String {
        let mut set: BTreeMap<&str, &str> = BTreeMap::new();
        for (_, declarations) in self.rules.iter().filter(|(selector, _)| selector.is_of(element, classes)) {
            set.extend(declarations.iter().map(|(name, value)| (name.as_str(), value.as_str())));
        }
        if element == "text" {
            set.retain(|name, _| !name.starts_with("stroke"));
        }
        set.iter().map(|(name, value)| format!(" {name}=\"{value}\"")).collect()
    }

    /// A drawing with attributes in the place of its classes, and without what only answers to a pointer.
    pub(super) fn inlined(&self, svg: &str) -> String {
        let mut written = String::with_capacity(2 * svg.len());
        let mut rest = svg;
        while let Some(start) = rest.find('<') {
            let (before, tag) = rest.split_at(start);
            written.push_str(before);
            // Attributes of ours hold no `>`: it is escaped.
            let end = tag.find('>').map_or(tag.len(), |at| at + 1);
            let (tag, after) = tag.split_at(end);
            rest = after;
            let element = tag[1..].split([' ', '/', '>']).next().unwrap_or_default();
            let Some((head, classes)) = tag.split_once(" class=\"") else {
                written.push_str(&self.bare(element, tag));
                continue;
            };
            let (classes, tail) = classes.split_once('"').unwrap_or((classes, ""));
            let classes: Vec<&str> = classes.split(' ').collect();
            if classes == ["column"] {
                // With its title, which names the values at this place.
                rest = if tail == "/>" { rest } else { after_element(element, rest) };
                continue;
            }
            written.push_str(head);
            written.push_str(&self.attributes(element, &classes));
            written.push_str(tail);
        }
        written + rest
    }

    /// A tag without a class: letters have a colour all the same.
    fn bare(&self, element: &str, tag: &str) -> String {
        match tag.strip_prefix("<text") {
            Some(tail) => format!("<text{}{tail}", self.attributes(element, &[])),
            None => tag.to_owned(),
        }
    }
}

/// What follows the end of an element.
fn after_element<'s>(element: &str, rest: &'s str) -> &'s str {
    let end = format!("</{element}>");
    rest.find(&end).map_or("", |at| &rest[at + end.len()..])
}

fn without_comments(sheet: &str) -> String {
    let mut parts = sheet.split("/*");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |kept, part| kept + part.split_once("*/").map_or("", |(_, after)| after))
}

/// The sheet without blocks that begin with `@`, which hold blocks themselves.
fn without_media(sheet: &str) -> String {
    let mut kept = String::new();
    let (mut depth, mut is_left_out) = (0u32, false);
    for letter in sheet.chars() {
        if depth == 0 && letter == '@' {
            is_left_out = true;
        }
        if !is_left_out {
            kept.push(letter);
        }
        match letter {
            '{' => depth += 1,
            '}' => {
                depth = depth.saturating_sub(1);
                is_left_out &= depth > 0;
            }
            _ => {}
        }
    }
    kept
}

/// A value with the variables that it names, and without the unit that attributes have anyway.
fn resolved(value: &str, variables: &BTreeMap<String, String>) -> String {
    let name = value.strip_prefix("var(").and_then(|rest| rest.strip_suffix(')'));
    let value = name.and_then(|name| variables.get(name)).map_or(value, String::as_str);
    value.strip_suffix("px").unwrap_or(value).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_become_the_attributes_that_the_page_gives_them() {
        let style = Style::of_page();
        let line = style.inlined(r#"<path class="line hue-1 dashed" d="M1 2"/>"#);
        for part in [r##"stroke="#c2410c""##, r#"fill="none""#, r#"stroke-dasharray="6 5""#, r#" d="M1 2"/>"#]
        {
            assert!(line.contains(part), "{part} is not in {line}");
        }
        assert!(!line.contains("class") && !line.contains("var("));
        // The stronger rule wins, wherever it stands.
        let bar = style.inlined(r#"<path class="bar hue-0 decisive"/>"#);
        assert!(bar.contains(r##"fill="#b3261e""##), "{bar}");
        let name = style.inlined(r#"<text class="limit-name" x="1">2 ms</text>"#);
        assert!(name.contains(r##"fill="#b3261e""##) && !name.contains("stroke"), "{name}");
    }

    #[test]
    fn what_answers_to_a_pointer_is_left_out_with_its_words() {
        let drawn =
            r#"<g><rect class="column" x="1"><title>17 s</title></rect><rect class="span" x="2"/></g>"#;
        let inlined = Style::of_page().inlined(drawn);
        assert!(!inlined.contains("17 s") && inlined.contains(r#"x="2""#), "{inlined}");
        assert!(inlined.ends_with("</g>"));
    }
}
