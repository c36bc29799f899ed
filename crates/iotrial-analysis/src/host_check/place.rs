//! A part of a host where a rule looks at it: what is below it, and what else is in its chain.

use iotrial_model::host_fact::{Fact, FactId, HostReport, Part, PartKind, TargetChain};

use super::rule::Rule;

/// A part, and where it stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'h> {
    pub(super) host: &'h HostReport,
    /// The chain and the place in it; `None` of the host itself.
    pub(super) chain: Option<(&'h TargetChain, usize)>,
    pub(super) part: &'h Part,
}

impl<'h> Place<'h> {
    /// The part itself, then those below it, then the host.
    fn reach(&self) -> Vec<&'h Part> {
        let below = self.chain.map(|(chain, at)| chain.below(at)).unwrap_or_default();
        let host = self.chain.map(|_| &self.host.host);
        std::iter::once(self.part).chain(below).chain(host).collect()
    }

    /// The fact of a condition: of the nearest part that has it.
    pub(super) fn nearest(&self, id: FactId) -> Option<&'h Fact> {
        self.reach().into_iter().find_map(|part| part.fact(id))
    }

    /// The fact that another is compared with: the same fact means that of a part below.
    pub(super) fn other(&self, id: FactId, compared: FactId) -> Option<&'h Fact> {
        self.reach().into_iter().skip(usize::from(id == compared)).find_map(|part| part.fact(id))
    }

    /// All parts of the same chain, or of all chains where it is the host that is judged.
    pub(super) fn all(&self) -> Vec<&'h Part> {
        match self.chain {
            Some((chain, _)) => chain.parts.iter().collect(),
            None => self.host.chains.iter().flat_map(|chain| &chain.parts).collect(),
        }
    }
}

/// The parts that a rule judges, each once.
pub(super) fn places<'h>(host: &'h HostReport, rule: &Rule) -> Vec<Place<'h>> {
    let mut places = Vec::new();
    if rule.of.contains(&PartKind::Host) {
        places.push(Place { host, chain: None, part: &host.host });
    }
    for chain in &host.chains {
        for (at, part) in chain.parts.iter().enumerate() {
            // A disk that carries several targets is judged once: it is the same disk.
            let is_known = places.iter().any(|place: &Place<'_>| {
                place.part.kind == part.kind && place.part.name == part.name && place.part.facts == part.facts
            });
            if rule.of.contains(&part.kind) && !is_known {
                places.push(Place { host, chain: Some((chain, at)), part });
            }
        }
    }
    places
}
