//! The manifests in `packaging/kubernetes`: whether a cluster would take them, as far as that shows without one, and whether iotrial takes
//! the arguments in them.
//!
//! The types below are the part of the API that the manifests use, with its spelling (Kubernetes 1.36, `v1` and `batch/v1`). A key that is not
//! among them is an error, as it is with `kubectl apply --validate=strict`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::support::Bench;
use iotrial_model::builtin::builtin_profiles;
use iotrial_model::profile::Profile;
use serde::Deserialize;

type Labels = BTreeMap<String, String>;

#[allow(dead_code, reason = "that a key is one of the API is all that is asked of some")]
#[derive(Debug, Deserialize)]
#[serde(tag = "kind", deny_unknown_fields)]
enum Object {
    PersistentVolumeClaim {
        #[serde(rename = "apiVersion")]
        api_version: String,
        metadata: Metadata,
        spec: ClaimSpec,
    },
    Job {
        #[serde(rename = "apiVersion")]
        api_version: String,
        metadata: Metadata,
        spec: JobSpec,
    },
    Pod {
        #[serde(rename = "apiVersion")]
        api_version: String,
        metadata: Metadata,
        spec: PodSpec,
    },
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Metadata {
    name: Option<String>,
    labels: Labels,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[allow(dead_code, reason = "that a key is one of the API is all that is asked of some")]
struct ClaimSpec {
    storage_class_name: Option<String>,
    access_modes: Vec<AccessMode>,
    #[serde(default)]
    volume_mode: VolumeMode,
    resources: Resources,
    data_source: Option<DataSource>,
}

#[derive(Debug, Deserialize)]
enum AccessMode {
    ReadWriteOnce,
}

#[derive(Debug, Default, Deserialize, PartialEq, Eq)]
enum VolumeMode {
    #[default]
    Filesystem,
    Block,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code, reason = "see `ClaimSpec`")]
struct DataSource {
    kind: String,
    name: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Resources {
    requests: BTreeMap<String, String>,
    limits: BTreeMap<String, String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct JobSpec {
    backoff_limit: u32,
    template: Template,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Template {
    metadata: Metadata,
    spec: PodSpec,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[allow(dead_code, reason = "see `ClaimSpec`")]
struct PodSpec {
    restart_policy: RestartPolicy,
    automount_service_account_token: bool,
    active_deadline_seconds: Option<u64>,
    security_context: PodSecurity,
    containers: Vec<Container>,
    volumes: Vec<Volume>,
}

#[derive(Debug, Deserialize)]
enum RestartPolicy {
    Never,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[allow(dead_code, reason = "see `ClaimSpec`")]
struct PodSecurity {
    run_as_non_root: Option<bool>,
    run_as_user: u32,
    run_as_group: u32,
    fs_group: Option<u32>,
    fs_group_change_policy: Option<FsGroupChangePolicy>,
    seccomp_profile: Seccomp,
}

#[derive(Debug, Deserialize)]
enum FsGroupChangePolicy {
    OnRootMismatch,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code, reason = "see `ClaimSpec`")]
struct Seccomp {
    r#type: SeccompType,
}

#[derive(Debug, Deserialize)]
enum SeccompType {
    RuntimeDefault,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[allow(dead_code, reason = "see `ClaimSpec`")]
struct Container {
    name: String,
    image: String,
    #[serde(default)]
    command: Vec<String>,
    #[serde(default)]
    args: Vec<String>,
    termination_message_policy: Option<TerminationMessagePolicy>,
    #[serde(default)]
    resources: Resources,
    security_context: ContainerSecurity,
    #[serde(default)]
    volume_mounts: Vec<Mount>,
    #[serde(default)]
    volume_devices: Vec<Device>,
}

#[derive(Debug, Deserialize)]
enum TerminationMessagePolicy {
    FallbackToLogsOnError,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct ContainerSecurity {
    allow_privilege_escalation: bool,
    read_only_root_filesystem: bool,
    capabilities: Capabilities,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Capabilities {
    drop: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Mount {
    name: String,
    mount_path: PathBuf,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Device {
    name: String,
    device_path: PathBuf,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Volume {
    name: String,
    persistent_volume_claim: ClaimSource,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct ClaimSource {
    claim_name: String,
}

const MANIFESTS: [&str; 3] = ["filesystem", "block", "results"];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packaging/kubernetes")
}

fn objects(manifest: &str) -> Vec<Object> {
    let text = std::fs::read_to_string(folder().join(format!("{manifest}.yaml"))).unwrap();
    serde_saphyr::from_multiple(&text).unwrap_or_else(|error| panic!("{manifest}.yaml: {error}"))
}

/// The pods of a manifest, with the claims that it makes by name.
fn pods(objects: Vec<Object>) -> (Vec<PodSpec>, BTreeMap<String, ClaimSpec>) {
    let (mut pods, mut claims) = (Vec::new(), BTreeMap::new());
    for object in objects {
        match object {
            Object::PersistentVolumeClaim { api_version, metadata, spec } => {
                assert_eq!(api_version, "v1");
                claims.insert(metadata.name.unwrap(), spec);
            }
            Object::Job { api_version, metadata, spec } => {
                assert_eq!(api_version, "batch/v1");
                assert!(metadata.name.is_some());
                assert_eq!(spec.backoff_limit, 0, "a verdict is not tried again");
                assert_eq!(spec.template.metadata.labels, metadata.labels);
                pods.push(spec.template.spec);
            }
            Object::Pod { api_version, spec, .. } => {
                assert_eq!(api_version, "v1");
                pods.push(spec);
            }
        }
    }
    (pods, claims)
}

fn pod_of(manifest: &str) -> PodSpec {
    pods(objects(manifest)).0.pop().unwrap()
}

#[test]
fn all_manifests_are_known_and_have_no_key_that_the_api_does_not_have() {
    let files = std::fs::read_dir(folder()).unwrap();
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    let names: BTreeSet<String> = names.map(|name| name.trim_end_matches(".yaml").to_owned()).collect();
    assert_eq!(names, MANIFESTS.map(str::to_owned).into());
    let count = |manifest: &str| objects(manifest).len();
    assert_eq!(MANIFESTS.map(count), [3, 3, 1]);
}

#[test]
fn a_misspelled_key_is_refused() {
    let text = std::fs::read_to_string(folder().join("filesystem.yaml")).unwrap();
    for (right, wrong) in
        [("mountPath", "mountpath"), ("fsGroup: 6", "fsgroup: 6"), ("kind: Job", "kind: Jobs")]
    {
        let damaged = text.replace(right, wrong);
        assert_ne!(damaged, text);
        assert!(serde_saphyr::from_multiple::<Object>(&damaged).is_err(), "{wrong}");
    }
}

#[test]
fn every_volume_that_is_mounted_is_a_claim_of_the_right_mode() {
    let results_claims: BTreeSet<String> =
        ["filesystem", "block"].into_iter().flat_map(|name| pods(objects(name)).1.into_keys()).collect();
    for manifest in MANIFESTS {
        let (pods, claims) = pods(objects(manifest));
        for pod in pods {
            for container in &pod.containers {
                let mounts =
                    container.volume_mounts.iter().map(|mount| (&mount.name, VolumeMode::Filesystem));
                let devices = container.volume_devices.iter().map(|device| (&device.name, VolumeMode::Block));
                for (name, mode) in mounts.chain(devices) {
                    let volume = pod.volumes.iter().find(|volume| volume.name == *name);
                    let claim = &volume
                        .unwrap_or_else(|| panic!("{manifest}: no volume {name}"))
                        .persistent_volume_claim;
                    match claims.get(&claim.claim_name) {
                        Some(claim) => assert_eq!(claim.volume_mode, mode, "{manifest}: {name}"),
                        // The pod that results are copied from takes the claim of the Job.
                        None => assert!(results_claims.contains(&claim.claim_name), "{}", claim.claim_name),
                    }
                }
            }
            let used: BTreeSet<&str> = pod
                .containers
                .iter()
                .flat_map(|one| {
                    let mounts = one.volume_mounts.iter().map(|mount| mount.name.as_str());
                    mounts.chain(one.volume_devices.iter().map(|device| device.name.as_str()))
                })
                .collect();
            let declared: BTreeSet<&str> = pod.volumes.iter().map(|volume| volume.name.as_str()).collect();
            assert_eq!(used, declared, "{manifest}");
        }
    }
}

#[test]
fn containers_have_a_read_only_root_and_no_capabilities_and_only_a_raw_device_needs_root() {
    for manifest in MANIFESTS {
        let pod = pod_of(manifest);
        assert!(!pod.automount_service_account_token, "{manifest}");
        let is_root = pod.security_context.run_as_user == 0;
        assert_eq!(is_root, manifest == "block", "{manifest}");
        assert_eq!(pod.security_context.run_as_non_root, (!is_root).then_some(true), "{manifest}");
        for container in &pod.containers {
            let security = &container.security_context;
            assert!(security.read_only_root_filesystem && !security.allow_privilege_escalation, "{manifest}");
            assert_eq!(security.capabilities.drop, ["ALL"], "{manifest}");
        }
    }
}

#[test]
fn the_user_of_the_image_the_job_and_the_copying_pod_is_the_same() {
    let recipe = std::fs::read_to_string(folder().join("../Containerfile")).unwrap();
    let of = |manifest: &str| {
        let security = pod_of(manifest).security_context;
        (security.run_as_user, security.run_as_group, security.fs_group)
    };
    let (user, group, fs_group) = of("filesystem");
    assert!(recipe.lines().any(|line| line == format!("USER {user}:{group}")), "{user}:{group}");
    assert_eq!(fs_group, Some(group), "a new volume would not be writable");
    assert_eq!(of("results"), (user, group, fs_group), "records are readable by their owner alone");
}

/// Word for word, on the simulated device: this host has neither the targets nor, perhaps, the room.
#[test]
fn iotrial_takes_the_arguments_of_the_jobs() {
    let bench = Bench::new();
    for (manifest, target) in [("filesystem", "/data"), ("block", "/dev/iotrial")] {
        let container = pod_of(manifest).containers.pop().unwrap();
        assert!(container.image.ends_with(concat!(":", env!("CARGO_PKG_VERSION"))), "{}", container.image);
        let mounted = container.volume_mounts.iter().map(|mount| &mount.mount_path);
        let mut places = mounted.chain(container.volume_devices.iter().map(|device| &device.device_path));
        assert!(places.any(|place| place == Path::new(target)), "{manifest}");
        assert!(container.args.contains(&format!("--target={target}")), "{manifest}");
        let arguments: Vec<&str> = container.args.iter().map(String::as_str).collect();
        let plan = bench.run(&[arguments.as_slice(), &["--engine", "sim", "--dry-run"]].concat());
        plan.expect_code(0);
    }
}

#[test]
fn the_job_for_a_raw_device_only_reads_because_nothing_can_be_given_up_in_a_pod() {
    let container = pod_of("block").containers.pop().unwrap();
    assert!(container.args.iter().all(|argument| !argument.starts_with("--destroy")));
    let profile = builtin_profiles().iter().find(|profile| profile.name == container.args[1]).unwrap();
    let jobs = Profile::parse(profile.text).unwrap().jobs;
    assert!(jobs.iter().all(|job| job.rwmix_read_percent == 100), "{}", profile.name);
}
