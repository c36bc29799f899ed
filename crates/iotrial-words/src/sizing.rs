//! What is said of a configuration, of a demand that it is to meet, and of a search for the cheapest.

mod against;
mod age;
mod answer;
mod cost;
mod left_out;
mod measured;
mod point;
mod rule;
mod share;
mod side_by_side;
mod unmet;
mod usual;
mod wall;
mod year;

pub use against::against;
pub use age::{figure_of, old_figures};
pub use answer::{findings, headline, sentence};
pub use cost::{cost_note, missing_price, missing_prices, money, sum_in_words};
pub use left_out::left_out;
pub use measured::{contradiction, measured, measured_together};
pub use point::{floor_rule, points};
pub use rule::{breach, broken_rule};
pub use share::{amount, limit, limit_in_short, share};
pub use side_by_side::{criterion, mix};
pub use unmet::unmet;
pub use wall::wall;
pub use year::year_change;

#[cfg(test)]
mod tests;
