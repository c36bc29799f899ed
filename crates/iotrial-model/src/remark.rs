//! The names of everything that iotrial remarks on a result, whatever kind of result it is. They are an interface: each has a row in a
//! table of the documentation, by which `iotrial help NAME` explains it.

use crate::audit::Check;
use crate::awr::RemarkId;
use crate::database_run::DatabaseRemarkId;
use crate::finding::FindingId;
use crate::observation::ObservationKind;
use crate::rate_limit::LimitKind;
use crate::recommendation::ReservationKind;

/// All of them: findings, checks of an audit, limits of a sweep, observations on counters, reservations of a recommendation, remarks
/// on AWR reports and on loads of a database. What a sweep, a run and an audit see of the same thing has one name.
pub fn names() -> impl Iterator<Item = &'static str> {
    let findings = FindingId::ALL.iter().map(|id| id.as_str());
    let checks = Check::ALL.iter().map(|id| id.as_str());
    let limits = LimitKind::ALL.iter().map(|id| id.as_str());
    let observations = ObservationKind::ALL.iter().map(|id| id.as_str());
    let reservations = ReservationKind::ALL.iter().map(|id| id.as_str());
    let remarks = RemarkId::ALL.iter().map(|id| id.as_str());
    let of_databases = DatabaseRemarkId::ALL.iter().map(|id| id.as_str());
    findings
        .chain(checks)
        .chain(limits)
        .chain(observations)
        .chain(reservations)
        .chain(remarks)
        .chain(of_databases)
}
