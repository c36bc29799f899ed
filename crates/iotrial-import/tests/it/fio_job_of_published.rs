//! The fio command of a published document, of which the middle was lost in print.

use std::path::{Path, PathBuf};
use std::time::Duration;

use iotrial_import::fio_job::{FioJobError, FioJobRequest, FioProfile, Surroundings, profile_of_fio_job};
use iotrial_model::builtin::builtin_profile;
use iotrial_model::load::Role;
use iotrial_model::profile::Profile;

fn convert(text: &str, request: &FioJobRequest) -> Result<(Profile, FioProfile), FioJobError> {
    let surroundings = Surroundings {
        file: &|_| Err("no such file".to_owned()),
        variable: &|_| None,
        cpu_count: 16,
        memory_mib: 48 << 10,
        page_bytes: 4096,
    };
    let made = profile_of_fio_job(text, request, &surroundings)?;
    Ok((Profile::parse(&made.text).unwrap(), made))
}

#[test]
fn the_published_command_converts_as_far_as_it_is_legible() {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let shared = std::env::var_os("IOTRIAL_SHARED").map_or(beside, PathBuf::from);
    let path = shared.join("seeds/000_73d4e08c86537583.txt");
    let Ok(document) = std::fs::read_to_string(&path) else {
        println!("skipped: {} is missing; IOTRIAL_SHARED names its folder", path.display());
        return;
    };
    let command = document.lines().find(|line| line.starts_with("fio --name=")).unwrap();
    let mut request = FioJobRequest { name: "published".to_owned(), ..FioJobRequest::default() };
    let told = convert(command, &request).unwrap_err().to_string();
    assert_eq!(
        told,
        "word 14: fio has no option `group_reporte2.dat` (did you mean `group_reporting`?)\n\
         word 17: `odepth=8` is neither an option nor a job file: no such file (options of fio begin with two dashes, as in --bs=8k)"
    );
    request.leaves_out = true;
    let (profile, made) = convert(command, &request).unwrap();
    assert_eq!(made.left_out.len(), 2);
    // The five jobs that are legible are those of the profile that is made from it, which has the lost one besides.
    let builtin = Profile::parse(builtin_profile("sqlserver-oci-published").unwrap().text).unwrap();
    let expected: Vec<_> = builtin.jobs.into_iter().filter(|job| job.name != "sql-data2").collect();
    assert_eq!(profile.jobs, expected);
    assert_eq!(profile.schedule.measure, Duration::from_secs(300));
    assert_eq!(profile.jobs.last().unwrap().role, Role::Log);
}
