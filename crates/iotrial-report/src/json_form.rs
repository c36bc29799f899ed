//! The form in JSON of what a sizing answers: its facts, with the sentences made from them.

use std::collections::BTreeMap;

use iotrial_model::demand::{Demand, LatencyClass};
use iotrial_sizing::age::{FigureOf, ReliedOn};
use iotrial_sizing::chain::Chain;
use iotrial_sizing::configuration::Configuration;
use iotrial_sizing::explanation::{Explanation, MixReach, PureReach};
use iotrial_sizing::floor::VcpuFloor;
use iotrial_sizing::measured::{BoundBy, MeasuredAgainst, MeasuredTogether, RateContradiction};
use iotrial_sizing::pool_report::PoolReport;
use iotrial_sizing::price::{Cost, CostNote, CostTerm, Counted, MissingPrice, UsedRate};
use iotrial_sizing::requirement::{Fit, Share, Unmet};
use iotrial_sizing::rule::BrokenRule;
use iotrial_sizing::search::{
    CostCurve, CountPoint, Found, Nearest, NotSearched, Wall, Year, YearChange, YearPlan,
};
use iotrial_sizing::side_by_side::{BestAt, Compared, Criterion, Delivered, SideBySide};
use iotrial_sizing::sizing::{Against, Sizing};
use iotrial_words::sizing as words;
use serde::{Serialize, Serializer};

/// What is serialised with its sentences.
#[derive(Debug, Clone, Copy)]
pub struct AsJson<'a, T>(pub &'a T);

impl<T> AsJson<'_, T> {
    /// Each of a list.
    pub fn each(all: &[T]) -> Vec<AsJson<'_, T>> {
        all.iter().map(AsJson).collect()
    }
}

/// Serialises types as the forms below say.
macro_rules! in_form {
    ($($of:ty => $form:ident),+ $(,)?) => {$(
        impl Serialize for AsJson<'_, $of> {
            fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                $form::serialize(self.0, to)
            }
        }
    )+};
}

in_form! {
    Sizing => SizingForm,
    VcpuFloor => FloorForm,
    Found => FoundForm,
    Nearest => NearestForm,
    YearPlan => PlanForm,
    Year => YearForm,
    Against => AgainstForm,
    SideBySide => SideBySideForm,
    Compared => ComparedForm,
    Explanation => ExplanationForm,
    BrokenRule => RuleForm,
    Cost => CostForm,
    Fit => FitForm,
    Unmet => UnmetForm,
    MeasuredAgainst => MeasuredForm,
    ReliedOn => ReliedOnForm,
}

/// Each in its form.
fn each<T, S: Serializer>(all: &[T], to: S) -> Result<S::Ok, S::Error>
where
    for<'a> AsJson<'a, T>: Serialize,
{
    to.collect_seq(all.iter().map(AsJson))
}

/// One in its form.
fn one<T, S: Serializer>(one: &T, to: S) -> Result<S::Ok, S::Error>
where
    for<'a> AsJson<'a, T>: Serialize,
{
    AsJson(one).serialize(to)
}

/// One in its form, or `null`.
fn optional<T, S: Serializer>(one: &Option<T>, to: S) -> Result<S::Ok, S::Error>
where
    for<'a> AsJson<'a, T>: Serialize,
{
    one.as_ref().map(AsJson).serialize(to)
}

/// The same of what is kept in a box.
fn boxed<T, S: Serializer>(one: &Option<Box<T>>, to: S) -> Result<S::Ok, S::Error>
where
    for<'a> AsJson<'a, T>: Serialize,
{
    one.as_deref().map(AsJson).serialize(to)
}

/// Sentences of facts.
macro_rules! said {
    ($($name:ident($of:ty) by $words:path;)+) => {$(
        fn $name<S: Serializer>(all: &[$of], to: S) -> Result<S::Ok, S::Error> {
            to.collect_seq(all.iter().map($words))
        }
    )+};
}

said! {
    missing_prices(MissingPrice) by words::missing_price;
    cost_notes(CostNote) by words::cost_note;
    not_searched(NotSearched) by words::left_out;
    year_changes(YearChange) by words::year_change;
    contradictions(RateContradiction) by words::contradiction;
    figures(FigureOf) by words::figure_of;
}

#[derive(Serialize)]
#[serde(remote = "Sizing")]
struct SizingForm {
    demand: Demand,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "optional")]
    vcpu_floor: Option<VcpuFloor>,
    currency: String,
    #[serde(skip_serializing_if = "Counted::is_default")]
    counted: Counted,
    #[serde(skip_serializing_if = "Option::is_none")]
    cheapest: Option<usize>,
    #[serde(getter = "headline")]
    headline: String,
    #[serde(getter = "sentence")]
    sentence: String,
    #[serde(getter = "words::points")]
    points: Vec<String>,
    #[serde(serialize_with = "each")]
    found: Vec<Found>,
    curves: Vec<CostCurve>,
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "each")]
    plans: Vec<YearPlan>,
    #[serde(serialize_with = "each")]
    against: Vec<Against>,
}

fn headline(sizing: &Sizing) -> String {
    words::headline(&sizing.answer, &sizing.currency)
}

fn sentence(sizing: &Sizing) -> String {
    words::sentence(&sizing.answer, &sizing.currency)
}

#[derive(Serialize)]
#[serde(remote = "VcpuFloor")]
struct FloorForm {
    vcpus: u32,
    #[serde(getter = "why_floor")]
    why: String,
}

fn why_floor(floor: &VcpuFloor) -> String {
    words::floor_rule(floor.why)
}

#[derive(Serialize)]
#[serde(remote = "Found")]
struct FoundForm {
    provider: String,
    title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    catalog_file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<String>,
    #[serde(serialize_with = "each")]
    answers: Vec<Explanation>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    by_count: Vec<CountPoint>,
    #[serde(skip_serializing_if = "Option::is_none")]
    without_tolerance: Option<CountPoint>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_below_floor: bool,
    #[serde(serialize_with = "not_searched")]
    left_out: Vec<NotSearched>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    without: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "boxed")]
    of_unknown_latency: Option<Box<Explanation>>,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "optional")]
    nearest: Option<Nearest>,
}

#[derive(Serialize)]
#[serde(remote = "Nearest")]
struct NearestForm {
    #[serde(skip_serializing_if = "Option::is_none")]
    carries_times: Option<f64>,
    #[serde(serialize_with = "wall")]
    wall: Wall,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "boxed")]
    closest: Option<Box<Explanation>>,
}

fn wall<S: Serializer>(wall: &Wall, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&words::wall(wall))
}

#[derive(Serialize)]
#[serde(remote = "YearPlan")]
struct PlanForm {
    provider: String,
    title: String,
    #[serde(serialize_with = "each")]
    years: Vec<Year>,
    total: f64,
    total_from_day_one: f64,
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "missing_prices")]
    missing: Vec<MissingPrice>,
}

#[derive(Serialize)]
#[serde(remote = "Year")]
struct YearForm {
    year: u32,
    capacity_gib: f64,
    load_times: f64,
    per_month: f64,
    per_year: f64,
    configuration: Configuration,
    #[serde(serialize_with = "year_changes")]
    changes: Vec<YearChange>,
}

#[derive(Serialize)]
#[serde(remote = "Against")]
struct AgainstForm {
    #[serde(serialize_with = "one")]
    explanation: Explanation,
    #[serde(skip_serializing_if = "Option::is_none")]
    more_per_month: Option<f64>,
    #[serde(getter = "words::against")]
    sentence: String,
}

#[derive(Serialize)]
#[serde(remote = "SideBySide")]
struct SideBySideForm {
    currency: String,
    #[serde(getter = "iops_mix")]
    iops_mix: String,
    #[serde(getter = "bandwidth_mix")]
    bandwidth_mix: String,
    #[serde(serialize_with = "each")]
    configurations: Vec<Compared>,
}

fn iops_mix(side: &SideBySide) -> String {
    words::mix(side.references.small)
}

fn bandwidth_mix(side: &SideBySide) -> String {
    words::mix(side.references.large)
}

#[derive(Serialize)]
#[serde(remote = "Compared")]
struct ComparedForm {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    iops: Option<Delivered>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bandwidth_bytes_per_s: Option<Delivered>,
    #[serde(skip_serializing_if = "Option::is_none")]
    per_thousand_iops: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    per_mb_per_s: Option<f64>,
    #[serde(serialize_with = "criteria")]
    criteria: BTreeMap<String, Criterion>,
    best_at: Vec<BestAt>,
    #[serde(serialize_with = "one")]
    explanation: Explanation,
}

fn criteria<S: Serializer>(all: &BTreeMap<String, Criterion>, to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(all.iter().map(|(name, one)| (name, words::criterion(one))))
}

#[derive(Serialize)]
#[serde(remote = "Explanation")]
struct ExplanationForm {
    configuration: Configuration,
    #[serde(skip_serializing_if = "Option::is_none")]
    ocpus: Option<u32>,
    /// `unknown` where no source says.
    #[serde(serialize_with = "latency_word")]
    latency: Option<LatencyClass>,
    arm: bool,
    vcpus: u32,
    memory_gib: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    network_gbit_per_s: Option<f64>,
    usable_gib: f64,
    volumes: u32,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pools: Vec<PoolReport>,
    burst: bool,
    chain: Chain,
    alone: Vec<PureReach>,
    mixes: Vec<MixReach>,
    #[serde(serialize_with = "each")]
    broken_rules: Vec<BrokenRule>,
    #[serde(serialize_with = "one")]
    cost: Cost,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "optional")]
    fit: Option<Fit>,
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "each")]
    measured: Vec<MeasuredAgainst>,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "together")]
    measured_together: Option<MeasuredTogether>,
}

fn latency_word<S: Serializer>(latency: &Option<LatencyClass>, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(latency.map_or("unknown", LatencyClass::as_str))
}

fn together<S: Serializer>(all: &Option<MeasuredTogether>, to: S) -> Result<S::Ok, S::Error> {
    all.as_ref().map(words::measured_together).serialize(to)
}

#[derive(Serialize)]
#[serde(remote = "BrokenRule")]
struct RuleForm {
    #[serde(getter = "rule_id")]
    id: String,
    #[serde(getter = "BrokenRule::effect")]
    effect: iotrial_sizing::catalog::Effect,
    #[serde(getter = "rule_message")]
    message: String,
    source: String,
}

fn rule_id(rule: &BrokenRule) -> String {
    rule.id().to_owned()
}

fn rule_message(rule: &BrokenRule) -> String {
    words::breach(&rule.breach)
}

#[derive(Serialize)]
#[serde(remote = "Cost")]
struct CostForm {
    currency: String,
    hours_per_month: f64,
    terms: Vec<CostTerm>,
    per_month: f64,
    #[serde(serialize_with = "missing_prices")]
    missing: Vec<MissingPrice>,
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "cost_notes")]
    notes: Vec<CostNote>,
    rates: Vec<UsedRate>,
}

#[derive(Serialize)]
#[serde(remote = "Fit")]
struct FitForm {
    is_met: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    carries_times: Option<f64>,
    shares: Vec<Share>,
    #[serde(serialize_with = "each")]
    unmet: Vec<Unmet>,
}

#[derive(Serialize)]
#[serde(remote = "Unmet")]
struct UnmetForm {
    #[serde(getter = "Unmet::word")]
    what: &'static str,
    #[serde(getter = "words::unmet")]
    message: String,
}

#[derive(Serialize)]
#[serde(remote = "MeasuredAgainst")]
struct MeasuredForm {
    label: String,
    iops: f64,
    bandwidth_bytes_per_s: f64,
    shares: Vec<Share>,
    #[serde(skip_serializing_if = "Option::is_none")]
    in_flight: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    outstanding: Option<f64>,
    #[serde(getter = "bound_by")]
    bound_by: &'static [BoundBy],
    #[serde(getter = "words::measured")]
    sentence: String,
    #[serde(rename = "notes", serialize_with = "contradictions")]
    contradictions: Vec<RateContradiction>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    caveats: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    derived: Vec<String>,
}

fn bound_by(one: &MeasuredAgainst) -> &'static [BoundBy] {
    one.bound.by()
}

#[derive(Serialize)]
#[serde(remote = "ReliedOn")]
struct ReliedOnForm {
    #[serde(serialize_with = "figures")]
    what: Vec<FigureOf>,
    source: String,
    as_of: Option<String>,
}
