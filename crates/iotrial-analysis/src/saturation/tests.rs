use super::*;

fn points(loads: &[u32], iops: impl Fn(f64) -> f64) -> Vec<LoadPoint> {
    let point = |outstanding: &u32| {
        let iops = iops(f64::from(*outstanding));
        LoadPoint { outstanding: *outstanding, iops, mib_per_s: iops / 128.0, lat_mean_us: None, chance: 0.0 }
    };
    loads.iter().map(point).collect()
}

const GRID: [u32; 8] = [1, 2, 4, 8, 16, 32, 64, 128];

fn saturation(iops: impl Fn(f64) -> f64) -> Saturation {
    Saturation::of(&points(&GRID, iops), None).unwrap()
}

fn curve_of(found: &Saturation) -> &Fit {
    found.fit.as_ref().expect("a curve was fitted")
}

#[track_caller]
fn assert_near(found: f64, expected: f64, tolerance: f64) {
    assert!((found / expected - 1.0).abs() <= tolerance, "{found} is not within {tolerance} of {expected}");
}

#[test]
fn a_device_that_serves_so_many_at_once_has_its_knee_there() {
    for servers in [1.0, 5.0, 24.0, 48.0] {
        let found = saturation(|n: f64| n.min(servers) * 2_000.0);
        assert_near(found.knee.outstanding, servers, 1e-6);
        assert_near(found.ceiling_iops, servers * 2_000.0, 1e-6);
        assert_near(found.knee.lat_mean_us, 500.0, 1e-6);
        assert!(found.is_reached && curve_of(&found).rms_percent < 1e-6, "{found:?}");
    }
}

#[test]
fn the_knee_has_the_latency_that_was_measured_there_rather_than_that_of_the_curve() {
    // A disk that one outstanding I/O keeps busy, with a point that no curve meets.
    let mut measured = points(&GRID, |n: f64| if n < 2.0 { 407.0 } else { 260.0 });
    measured.iter_mut().for_each(|one| one.lat_mean_us = Some(1e6 * f64::from(one.outstanding) / one.iops));
    let found = Saturation::of(&measured, None).unwrap();
    assert_near(found.knee.outstanding, 1.0, 0.05);
    assert_near(found.knee.lat_mean_us, 1e6 / 407.0, 1e-6);
    assert_near(found.knee.iops, 407.0, 1e-6);
}

#[test]
fn a_rate_limit_has_its_knee_at_limit_times_latency() {
    let found = saturation(|n: f64| (n * 1_000.0).min(12_500.0));
    assert_near(found.knee.outstanding, 12.5, 1e-6);
    assert_eq!(found.saturated.outstanding, 16.0);
}

#[test]
fn servers_that_are_met_by_chance_have_their_knee_where_latency_has_doubled() {
    // Sixteen of them; the ceiling of 16 times the rate of one is never quite reached.
    let found = saturation(|n: f64| n * 1_000.0 / (1.0 + (n - 1.0) / 16.0));
    assert_near(found.knee.outstanding, 15.0, 1e-3);
    assert_near(found.knee.lat_mean_us, 1_875.0, 1e-3);
    assert!(!found.is_reached);
}

#[test]
fn a_rate_that_falls_again_is_told_by_the_universal_scalability_law() {
    let found = saturation(|n: f64| n * 1_000.0 / (1.0 + 0.02 * (n - 1.0) + 0.001 * n * (n - 1.0)));
    assert!(matches!(curve_of(&found).model, Model::UniversalScalabilityLaw { .. }), "{found:?}");
    assert!(found.falls_by_percent > 30.0 && found.is_reached);
    // 1 − σ − (σ − κ) N − 3 κ N² = 0 with σ = 0.02, κ = 0.001.
    assert_near(found.knee.outstanding, 15.186, 1e-3);
}

#[test]
fn noise_widens_the_confidence_and_leaves_the_knee() {
    // Three repeats, alternately off by 2 %.
    let mut noisy = Vec::new();
    for (index, factor) in (0_u8..).zip([1.02, 0.98, 1.0]) {
        let sign = |n: f64| if (n.log2() + f64::from(index)) % 2.0 < 0.5 { factor } else { 2.0 - factor };
        noisy.extend(points(&GRID, |n: f64| n.min(24.0) * 2_000.0 * sign(n)));
    }
    let found = Saturation::of(&noisy, None).unwrap();
    assert_near(found.knee.outstanding, 24.0, 0.03);
    let knee = found.knee_confidence.unwrap();
    assert!(knee.low < 24.0 && 24.0 < knee.high && knee.high - knee.low < 4.0, "{knee:?}");
    let ceiling = found.ceiling_confidence.unwrap();
    assert!(ceiling.low < 48_000.0 && 48_000.0 < ceiling.high, "{ceiling:?}");
    let exact = Saturation::of(&points(&GRID, |n: f64| n.min(24.0) * 2_000.0), None).unwrap();
    let exact = exact.knee_confidence.unwrap();
    assert!(exact.high - exact.low < 1e-3, "{exact:?}");
}

#[test]
fn an_interval_of_the_knee_from_a_tenth_to_tenfold_is_none() {
    let confidence = Confidence { low: 1.0, high: 37.0 };
    assert!(!confidence.tells_of(1.0) && !confidence.tells_of(37.0));
    assert!(confidence.tells_of(5.0) && !confidence.tells_of(40.0));
    // Repeats that differ by so much leave the knee open, whatever their curve is.
    let mut unknown = 0;
    for size in [0.01, 0.1, 0.3, 0.6, 0.9] {
        let mut noisy = Vec::new();
        for factor in [1.0 + size, 1.0 - size] {
            let alternate = |n: f64| if (n.log2() % 2.0) < 0.5 { factor } else { 2.0 - factor };
            noisy.extend(points(&GRID, |n: f64| n.min(4.0) * 1_000.0 * alternate(n)));
        }
        let found = Saturation::of(&noisy, None).unwrap();
        match found.knee_confidence {
            Some(knee) => assert!(knee.high <= 100.0 * knee.low, "{size}: {knee:?}"),
            None => unknown += 1,
        }
    }
    assert!(unknown > 0);
}

#[test]
fn a_burst_says_nothing_of_the_ceiling() {
    // 32 at once in 1 ms while it lasts; 4,000 a second after that.
    let burst = points(&GRID, |n: f64| n.min(32.0) * 1_000.0);
    let mut course = vec![32_000.0; 5];
    course.push(20_000.0);
    course.extend([4_000.0; 6]);
    let sustained = Sustained::of_course(&course, 1).unwrap();
    assert_near(sustained.iops, 4_000.0, 1e-9);
    assert_eq!(sustained.burst.unwrap().ended_after_s, Some(6.0));
    let found = Saturation::of(&burst, Some(sustained)).unwrap();
    assert_near(found.knee.outstanding, 4.0, 1e-6);
    assert_near(found.ceiling_iops, 4_000.0, 1e-9);
}

#[test]
fn a_steady_course_has_no_burst_and_its_ramp_does_not_count() {
    let course: Vec<f64> =
        (0..11).map(|second| if second == 0 { 500.0 } else { 1_000.0 + f64::from(second % 2) }).collect();
    let found = Sustained::of_course(&course, 1).unwrap();
    assert_eq!(found.burst, None);
    assert_near(found.iops, 1_000.5, 1e-3);
    assert_eq!(Sustained::of_course(&[], 0), None);
    assert_eq!(Sustained::of_course(&[0.0, 0.0], 0), None);
}

#[test]
fn without_a_rate_there_is_nothing_to_say() {
    assert_eq!(Saturation::of(&[], None), None);
    assert_eq!(Saturation::of(&points(&[1, 2], |_| 0.0), None), None);
    let one = Saturation::of(&points(&[4], |_| 100.0), None).unwrap();
    assert_eq!((one.knee.outstanding, one.is_reached, one.knee_confidence), (4.0, false, None));
}

#[test]
fn a_load_above_the_ceiling_is_told_and_the_interval_is_that_of_the_ceiling() {
    // A disk whose cache sorts writes: much at one, then little, then more again.
    let falls = [(1, 406.0), (2, 250.0), (4, 245.0), (8, 240.0), (16, 238.0), (32, 236.0)];
    // One load well above the plateau that the model puts through all of them.
    let peak = [(1, 6_700.0), (2, 6_720.0), (4, 6_690.0), (8, 6_710.0), (16, 7_428.0), (32, 6_700.0)];
    for (points, is_exceeded) in [(falls, false), (peak, true)] {
        let points: Vec<LoadPoint> = points
            .into_iter()
            .map(|(outstanding, iops)| LoadPoint {
                outstanding,
                iops,
                mib_per_s: iops / 256.0,
                lat_mean_us: None,
                chance: 0.0,
            })
            .collect();
        let highest = points.iter().map(|one| one.iops).fold(0.0, f64::max);
        let found = Saturation::of(&points, None).unwrap();
        assert_eq!(found.exceeded_by_percent > 5.0, is_exceeded, "{found:?}");
        let exceeded = 100.0 * (highest / found.ceiling_iops - 1.0);
        assert!((found.exceeded_by_percent - exceeded).abs() < 1e-9, "{found:?}");
        let holds = |one: Confidence| (one.low..=one.high).contains(&found.ceiling_iops);
        assert!(found.ceiling_confidence.is_none_or(holds), "{found:?}");
        // One load has one latency.
        if (found.knee.outstanding - found.saturated.outstanding).abs() < 0.05 {
            assert_eq!(found.knee.lat_mean_us.to_bits(), found.saturated.lat_mean_us.to_bits());
        }
    }
}

#[test]
fn loads_that_are_all_beyond_the_knee_bound_it_and_no_curve_is_fitted() {
    // A disk that one I/O keeps busy, and a device that does ten at once.
    for (servers, loads) in
        [(1.0, &[2_048, 4_096][..]), (10.0, &[512, 1_024, 2_048, 4_096]), (10.0, &[64, 128, 96])]
    {
        let found = Saturation::of(&points(loads, |n: f64| n.min(servers) * 100.0), None).unwrap();
        assert_eq!(found.knee_bound, Some(KneeBound::AtOrBelow), "{found:?}");
        assert_eq!(found.knee.outstanding, f64::from(loads[0]));
        assert_eq!((found.knee_confidence, found.fit.is_some()), (None, false), "{found:?}");
        assert_near(found.ceiling_iops, servers * 100.0, 1e-9);
        assert_eq!(found.saturated.outstanding, f64::from(loads[0]));
        assert!(found.is_reached);
    }
}

#[test]
fn a_curve_that_bends_below_the_lowest_load_bounds_the_knee() {
    // Servers that are met by chance, of which the corner is so round that eleven times the knee is still
    // below the ceiling.
    let found =
        Saturation::of(&points(&[8, 16, 32, 64, 128], |n: f64| n * 1_000.0 / (1.0 + n / 4.0)), None).unwrap();
    assert_eq!(found.knee_bound, Some(KneeBound::AtOrBelow), "{found:?}");
    assert_eq!(found.knee.outstanding, 8.0);
}

#[test]
fn two_loads_are_no_curve_and_their_ceiling_is_the_higher_of_them() {
    let found = Saturation::of(&points(&[128, 512], |n| if n < 200.0 { 29_093.0 } else { 24_444.0 }), None);
    let found = found.unwrap();
    assert_eq!((found.knee.outstanding, found.knee_bound), (128.0, Some(KneeBound::AtOrBelow)));
    assert_eq!(found.ceiling_iops, 29_093.0);
    assert_eq!((found.exceeded_by_percent, found.fit.is_some()), (0.0, false));
    // Of a device that does so many at once.
    let bound = |loads: &[u32], servers: f64| {
        let found = Saturation::of(&points(loads, |n: f64| n.min(servers) * 100.0), None).unwrap();
        (found.knee.outstanding, found.knee_bound, found.fit.is_some())
    };
    assert_eq!(bound(&[4, 16], 100.0), (16.0, Some(KneeBound::AtOrAbove), false));
    assert_eq!(bound(&[4, 16], 10.0), (4.0, Some(KneeBound::AtOrAbove), false));
    assert_eq!(bound(&[4, 64], 6.0), (64.0, Some(KneeBound::AtOrBelow), false));
    assert_eq!(bound(&[64], 6.0), (64.0, Some(KneeBound::Unknown), false));
    // It is never below one.
    assert_eq!(bound(&[1, 64], 1.0), (1.0, None, false));
}

#[test]
fn a_rate_that_rises_in_proportion_bounds_the_knee_from_below() {
    let found = Saturation::of(&points(&GRID, |n: f64| n * 100.0), None).unwrap();
    assert_eq!((found.knee.outstanding, found.knee_bound), (128.0, Some(KneeBound::AtOrAbove)));
    let resolved = saturation(|n: f64| n.min(24.0) * 100.0);
    assert_eq!(resolved.knee_bound, None);
}

#[test]
fn a_standstill_is_no_burst_and_what_was_done_beside_it_is_the_rate_that_lasts() {
    for stalled in [[4_000.0, 1_500.0, 0.0, 0.0, 2_500.0], [0.0, 0.0, 0.0, 1_000.0, 4_000.0]] {
        let mut course = vec![4_000.0; 3];
        course.extend(stalled);
        course.extend([4_000.0; 4]);
        let found = Sustained::of_course(&course, 1).unwrap();
        assert_eq!((found.burst, found.drift), (None, None));
        assert_near(found.iops, 4_000.0, 1e-9);
        assert_eq!(found.stalled_s, 4);
    }
    // A device that does not come back has no rate that lasts beside it.
    let found = Sustained::of_course(&[4_000.0, 4_000.0, 4_000.0, 4_000.0, 0.0, 0.0], 1).unwrap();
    assert_eq!(found.stalled_s, 0);
}

#[test]
fn a_rate_that_falls_on_and_on_drifts_and_one_that_falls_once_has_burst() {
    // 5 % and 20 % slower each second, with a little chance.
    for slower in [0.05, 0.2] {
        let course: Vec<f64> = (0..11)
            .map(|second| 4_000.0 / (1.0 + slower * f64::from(second)) + 20.0 * f64::from(second * 7 % 3))
            .collect();
        let found = Sustained::of_course(&course, 1).unwrap();
        let drift = found.drift.unwrap_or_else(|| panic!("{found:?}"));
        assert!(found.burst.is_none() && drift.to_iops < 0.9 * drift.from_iops, "{found:?}");
        // Short probes before it are above it because it fell, not because something was used up.
        let before = points(&[1, 4, 16, 1, 4, 16], |n: f64| n.min(4.0) * 1_500.0);
        assert_eq!(found.with_burst_of(&before), found);
    }
    let mut course = vec![16_000.0; 5];
    course.extend([3_000.0; 6]);
    let found = Sustained::of_course(&course, 1).unwrap();
    assert!(found.burst.is_some() && found.drift.is_none(), "{found:?}");
    let wanders: Vec<f64> = (0..11).map(|second| 4_000.0 + 600.0 * f64::from(second * 5 % 7)).collect();
    assert_eq!(Sustained::of_course(&wanders, 1).unwrap().drift, None);
}

#[test]
fn what_is_in_store_is_shared_by_the_probes_and_its_end_is_a_burst() {
    let lasts = Sustained::of_course(&[1_500.0; 11], 1).unwrap();
    let course = |rates: &[(u32, f64)]| -> Vec<LoadPoint> {
        rates.iter().flat_map(|(load, iops)| points(&[*load], |_| *iops)).collect()
    };
    let used_up = course(&[
        (1, 1_662.0),
        (4, 6_674.0),
        (16, 13_320.0),
        (8, 12_160.0),
        (1, 1_500.0),
        (4, 1_500.0),
        (16, 1_500.0),
    ]);
    let burst = lasts.with_burst_of(&used_up).burst.unwrap();
    assert_eq!((burst.iops, burst.ended_after_s), (13_320.0, None));
    // The lowest load was made in it and again after it: of what lasts it is the latter.
    let found = Saturation::of(&used_up, Some(lasts.with_burst_of(&used_up))).unwrap();
    assert_near(found.knee.outstanding, 1.0, 1e-6);
    assert_near(found.knee.iops, 1_500.0, 1e-6);
    assert!(found.knee.iops <= found.ceiling_iops && found.exceeded_by_percent < 1e-6, "{found:?}");
    // A probe that was slower in between is no end: others were as fast after it.
    let disturbed = course(&[(4, 2_500.0), (16, 1_400.0), (4, 2_500.0), (16, 2_500.0)]);
    assert_eq!(lasts.with_burst_of(&disturbed[..2]).burst, None);
}

#[test]
fn between_two_measured_neighbours_the_one_with_more_throughput_per_latency_is_the_knee() {
    // A limit at 3.2 that chance rounds: 2,794 at three, and the curve would have its corner at 3.5.
    let measured = [(1, 998.0), (3, 2_794.0), (4, 3_200.0), (16, 3_200.0)];
    let points: Vec<LoadPoint> =
        measured.into_iter().flat_map(|(load, iops)| points(&[load], |_| iops)).collect();
    let found = Saturation::of(&points, None).unwrap();
    assert_eq!(found.knee.outstanding, 3.0, "{found:?}");
    assert_near(found.knee.iops, 2_794.0, 1e-9);
}
