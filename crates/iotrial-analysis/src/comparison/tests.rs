//! Comparisons whose outcome is known.

mod printed;

mod measured;
