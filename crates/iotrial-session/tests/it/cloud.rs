//! `check --cloud`: metadata services of four clouds, each as it is documented, on a local listener.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::thread::JoinHandle;

use crate::described::Tree;
use iotrial_analysis::host_check::CheckAnswer;
use iotrial_model::host_fact::{FactId, PartKind, Reading};
use iotrial_session::host_check::{CheckRequest, check_host};

/// What a service wants to be asked, with a header that has to be there, and what it answers.
struct Exchange {
    request: &'static str,
    header: &'static str,
    answer: &'static str,
}

/// A service that answers these requests in their order, and refuses others as the real ones do.
fn service(exchanges: Vec<Exchange>) -> (SocketAddr, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let thread = std::thread::spawn(move || {
        for exchange in exchanges {
            let (mut stream, _) = listener.accept().unwrap();
            let lines = BufReader::new(stream.try_clone().unwrap()).lines().map(Result::unwrap);
            let head: Vec<String> = lines.take_while(|line| !line.is_empty()).collect();
            let is_right = head[0] == format!("{} HTTP/1.1", exchange.request)
                && head.iter().any(|line| line == exchange.header);
            let answer = if is_right {
                format!(
                    "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{}",
                    exchange.answer.len(),
                    exchange.answer
                )
            } else {
                "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n".to_owned()
            };
            stream.write_all(answer.as_bytes()).unwrap();
        }
    });
    (address, thread)
}

fn check(host: &str, exchanges: Vec<Exchange>) -> CheckAnswer {
    let tree = Tree::of(host);
    let (address, thread) = service(exchanges);
    let request = CheckRequest {
        targets: vec![PathBuf::from("/data")],
        cloud: Some(address),
        captured: Some(tree.folder.path().to_owned()),
        ..CheckRequest::default()
    };
    let answer = check_host(&request).unwrap();
    thread.join().unwrap();
    answer
}

fn shape(answer: &CheckAnswer) -> String {
    match &answer.host.host.fact(FactId::Shape).unwrap().reading {
        Reading::Known(value) => value.to_string(),
        Reading::Unknown(why) => format!("unknown: {why}"),
    }
}

/// A disk of an Azure machine at LUN 1, of 1 GiB.
const AZURE: &str = "\
base azure
disk LNXSYSTM:00/VMBUS:00/host1/target1:0:0/1:0:0:1/block/sdc 8:32 device/queue_depth=64
mount 8:32 /data rw,noatime xfs /dev/sdc rw
";

#[test]
fn azure_tells_the_shape_and_of_each_data_disk_its_type_and_caching() {
    let answer = r#"{"compute":{"vmSize":"Standard_E16ds_v5","storageProfile":{"dataDisks":[
        {"lun":"0","caching":"None","diskSizeGB":"1","managedDisk":{"storageAccountType":"UltraSSD_LRS"}},
        {"lun":"1","caching":"ReadWrite","diskSizeGB":"1","managedDisk":{"storageAccountType":"StandardSSD_LRS"}}]}}}"#;
    let exchange = Exchange {
        request: "GET /metadata/instance?api-version=2021-02-01",
        header: "Metadata: true",
        answer,
    };
    let found = check(AZURE, vec![exchange]);
    assert_eq!(shape(&found), "Standard_E16ds_v5");
    let disk = found.host.chains[0].parts.iter().find(|part| part.kind == PartKind::Disk).unwrap();
    assert_eq!(disk.value(FactId::VolumeType).unwrap().to_string(), "StandardSSD_LRS");
    let rules: Vec<&str> = found.findings.iter().map(|one| one.rule.as_str()).collect();
    assert!(rules.contains(&"host-caching-writes") && rules.contains(&"standard-volume"), "{rules:?}");
}

#[test]
fn aws_is_asked_with_a_token_and_oracle_and_google_with_their_headers() {
    let token = Exchange {
        request: "PUT /latest/api/token",
        header: "X-aws-ec2-metadata-token-ttl-seconds: 60",
        answer: "AQAE-token==",
    };
    let kind = Exchange {
        request: "GET /latest/meta-data/instance-type",
        header: "X-aws-ec2-metadata-token: AQAE-token==",
        answer: "r6id.16xlarge",
    };
    let mount = "disk virtual/x/block/sdb 8:16 queue/x=1\nmount 8:16 /data rw,noatime xfs /dev/sdb rw\n";
    assert_eq!(shape(&check(&format!("base aws\n{mount}"), vec![token, kind])), "r6id.16xlarge");

    let oci = format!("base kvm\n{mount}file /sys/class/dmi/id/chassis_asset_tag = OracleCloud.com\n");
    let answer = r#"{"shape":"VM.Optimized3.Flex","shapeConfig":{"ocpus":16.0,"memoryInGBs":48.0,"networkingBandwidthInGbps":40.0}}"#;
    let exchange =
        Exchange { request: "GET /opc/v2/instance/", header: "Authorization: Bearer Oracle", answer };
    let found = check(&oci, vec![exchange]);
    assert_eq!(shape(&found), "VM.Optimized3.Flex");
    let told = |id: FactId| found.host.host.value(id).map(|value| id.written(value));
    assert_eq!(told(FactId::NetworkLimit).as_deref(), Some("40,000 Mbit/s"));
    assert_eq!(told(FactId::Ocpus).as_deref(), Some("16"));
    assert_eq!(told(FactId::ShapeMemory).as_deref(), Some("48 GiB"));

    let gcp = format!("base kvm\n{mount}file /sys/class/dmi/id/product_name = Google Compute Engine\n");
    let exchange = Exchange {
        request: "GET /computeMetadata/v1/instance/machine-type",
        header: "Metadata-Flavor: Google",
        answer: "projects/123/machineTypes/n2-standard-16",
    };
    assert_eq!(shape(&check(&gcp, vec![exchange])), "n2-standard-16");
}

#[test]
fn a_service_that_refuses_or_is_not_there_leaves_the_shape_unknown_with_the_reason() {
    let exchange = Exchange { request: "GET /elsewhere", header: "", answer: "" };
    assert!(shape(&check(AZURE, vec![exchange])).contains("400 Bad Request"));
    let tree = Tree::of(AZURE);
    // Nobody listens on a port that was just given back.
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let request = CheckRequest {
        cloud: Some(address),
        captured: Some(tree.folder.path().to_owned()),
        ..CheckRequest::default()
    };
    let found = check_host(&request).unwrap();
    assert!(shape(&found).starts_with("unknown: "), "{}", shape(&found));
    let garbage = Exchange {
        request: "GET /metadata/instance?api-version=2021-02-01",
        header: "Metadata: true",
        answer: "[[[",
    };
    assert!(shape(&check(AZURE, vec![garbage])).contains("not JSON"));
}
