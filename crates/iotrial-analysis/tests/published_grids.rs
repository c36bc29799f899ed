//! Knee, ceiling and scaling of devices that others measured with fio: a plain list of loads is enough.

#![allow(clippy::print_stderr, clippy::unwrap_used, reason = "a test, which says what it skips")]

use std::path::{Path, PathBuf};

use iotrial_analysis::saturation::{LoadPoint, Saturation, by_load};
use serde_json::Value;

/// The grids of one device and pattern, one file for each iodepth and numjobs; `None` where the data is not there.
fn grid(folder: &str, pattern: &str) -> Option<Vec<LoadPoint>> {
    let shared = std::env::var_os("IOTRIAL_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"), PathBuf::from);
    let folder = shared.join("data/fio").join(folder);
    let Ok(entries) = std::fs::read_dir(&folder) else {
        eprintln!("skipped: there is no `{}`; IOTRIAL_SHARED names the folder of the data", folder.display());
        return None;
    };
    let files = entries.map(|entry| entry.unwrap().path());
    let is_mine =
        |path: &PathBuf| path.file_name().unwrap().to_string_lossy().starts_with(&format!("{pattern}-"));
    let points: Vec<LoadPoint> = files.filter(is_mine).map(|path| point(&path)).collect();
    assert_eq!(points.len(), 49, "{}", folder.display());
    Some(points)
}

/// One result of fio 3: a group of jobs with a number in the name of the file for iodepth and for numjobs.
fn point(path: &Path) -> LoadPoint {
    let result: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let name = path.file_stem().unwrap().to_string_lossy().into_owned();
    let load: u32 = name.split('-').skip(1).map(|number| number.parse::<u32>().unwrap()).product();
    let job = &result["jobs"][0];
    let op = if name.starts_with("randread") { &job["read"] } else { &job["write"] };
    let number = |pointer: &str| op.pointer(pointer).and_then(Value::as_f64).unwrap();
    LoadPoint {
        outstanding: load,
        iops: number("/iops"),
        mib_per_s: number("/bw") / 1024.0,
        lat_mean_us: Some(number("/lat_ns/mean") / 1e3),
        chance: 0.0,
    }
}

fn saturation(folder: &str, pattern: &str) -> Option<Saturation> {
    let points = grid(folder, pattern)?;
    let found = Saturation::of(&points, None).unwrap();
    eprintln!(
        "{folder} {pattern}: knee {:.1} ({:?}), {:.0} IOPS, {:.0} µs; ceiling {:.0} ({:?}); {} off by {:.1} %, R² {:?}; {:?}",
        found.knee.outstanding,
        found.knee_confidence.map(|one| (one.low, one.high)),
        found.knee.iops,
        found.knee.lat_mean_us,
        found.ceiling_iops,
        found.ceiling_confidence.map(|one| (one.low, one.high)),
        found.fit.model.name(),
        found.fit.rms_percent,
        found.fit.r_squared,
        found.fit.model
    );
    // The knee by definition, straight from the points: where X² / N is largest.
    let power =
        |one: &iotrial_analysis::saturation::MeanPoint| one.iops * one.iops / f64::from(one.outstanding);
    let means = by_load(&points);
    let best = means.iter().max_by(|a, b| power(a).total_cmp(&power(b))).unwrap();
    let steps = (found.knee.outstanding / f64::from(best.outstanding)).log2();
    assert!(
        steps.abs() <= 1.0,
        "the knee is {} by the curve and {} by the points",
        found.knee.outstanding,
        best.outstanding
    );
    Some(found)
}

#[test]
fn three_striped_ssds_reach_three_times_the_ceiling_of_one_at_a_later_knee() {
    for pattern in ["randread", "randwrite"] {
        let (Some(one), Some(three)) =
            (saturation("mx200-x1", pattern), saturation("mx200-x3-raid0", pattern))
        else {
            return;
        };
        assert!(one.is_reached && three.is_reached);
        let ratio = three.ceiling_iops / one.ceiling_iops;
        assert!((ratio / 3.0 - 1.0).abs() < 0.05, "{pattern}: {ratio}");
        if pattern == "randwrite" {
            // A single write already waits for as much as it gets: the cache of the drive answers it.
            assert!(one.knee.outstanding < 2.0 && three.knee.outstanding < 2.0);
        }
    }
    let (Some(one), Some(three)) =
        (saturation("mx200-x1", "randread"), saturation("mx200-x3-raid0", "randread"))
    else {
        return;
    };
    assert!((one.ceiling_iops / 47_000.0 - 1.0).abs() < 0.03 && (8.0..=24.0).contains(&one.knee.outstanding));
    assert!(
        (three.ceiling_iops / 143_000.0 - 1.0).abs() < 0.03
            && (24.0..=64.0).contains(&three.knee.outstanding)
    );
    // One I/O alone takes as long on one as on three of them.
    assert!((three.knee.lat_mean_us / one.knee.lat_mean_us - 1.0).abs() < 0.5);
}

#[test]
fn a_disk_has_its_knee_at_one_and_a_ssd_that_falls_again_is_told() {
    let (Some(disk), Some(ssd)) =
        (saturation("hgst-7k2", "randread"), saturation("intel-s4610-hba", "randread"))
    else {
        return;
    };
    assert!(disk.knee.outstanding <= 2.0 && disk.is_reached, "{disk:?}");
    assert!((disk.ceiling_iops / 113.0 - 1.0).abs() < 0.05, "{disk:?}");
    // 51,000 up to some depth, 35,000 beyond.
    assert!(ssd.falls_by_percent > 25.0 && ssd.ceiling_iops > 48_000.0, "{ssd:?}");
}
