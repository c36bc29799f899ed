//! How a host reaches the shares of NFS besides their mount options: the endpoints, the connections that are open to them, and the paths of
//! Oracle's own client, Direct NFS.

use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use iotrial_model::host_fact::{Fact, FactId, FactValue, Reading};

use crate::block::Kernel;
use crate::mounts::{Mount, TABLE, unescape};
use crate::reading::Facts;
use crate::text;

/// Of one share.
pub(crate) fn read(kernel: &Kernel, mount: &Mount, facts: &mut Facts<'_>) {
    if let Some(address) = address(mount) {
        facts.known(FactId::NfsAddress, FactValue::text(address), TABLE);
    }
    // Only the processes of its user may read it, and a copy of a host may lack it.
    let mountstats = kernel.proc.join("self/mountstats");
    let open = text::bytes(&mountstats).ok().and_then(|stats| open_connections(&stats, &mount.mount_point));
    if let Some(count) = open {
        let from = kernel.shown(&mountstats).display().to_string();
        facts.known(FactId::NfsOpenConnections, FactValue::Number(count), from);
    }
    for path in oranfstabs(kernel) {
        let Ok(table) = text::line(&path) else { continue };
        if let Some(count) = direct_paths(&table, &mount.mount_point) {
            let from = kernel.shown(&path).display().to_string();
            return facts.known(FactId::DnfsPaths, FactValue::Number(count), from);
        }
    }
}

/// Of all shares of the host together; none where it has no share.
pub(crate) fn of_host(mounts: &[Mount]) -> Vec<Fact> {
    let shares = || mounts.iter().filter(|mount| mount.is_share());
    let count = |mut all: Vec<String>| {
        all.sort();
        all.dedup();
        i64::try_from(all.len()).unwrap_or(i64::MAX)
    };
    // A share that is mounted twice is one file system.
    let share_count = count(shares().map(|mount| mount.number.to_string()).collect());
    let endpoint_count = count(shares().filter_map(address).collect());
    let known = |id: FactId, count: i64| Fact {
        id,
        reading: Reading::Known(FactValue::Number(count)),
        from: TABLE.to_owned(),
    };
    let all = [(FactId::NfsShares, share_count), (FactId::NfsEndpoints, endpoint_count)];
    all.into_iter().filter(|(_, count)| *count > 0).map(|(id, count)| known(id, count)).collect()
}

/// The address of the server, as the kernel resolved it.
fn address(mount: &Mount) -> Option<String> {
    mount.super_option("addr").map(|address| address.to_string_lossy().into_owned())
}

/// How many transports the kernel has for the share that is mounted there (`xprt:` in proc_pid_mountstats(5)): with `nconnect` there are
/// several, and shares of one server have the same. `None` where it does not say.
fn open_connections(stats: &[u8], mount_point: &Path) -> Option<i64> {
    const BEFORE: &[u8] = b" mounted on ";
    const BEHIND: &[u8] = b" with fstype ";
    let position = |line: &[u8], words: &[u8]| line.windows(words.len()).position(|part| part == words);
    let mut count = None;
    let mut is_it = false;
    for line in stats.split(|byte| *byte == b'\n') {
        if line.starts_with(b"device ") {
            let place = position(line, BEFORE).map(|at| &line[at + BEFORE.len()..]);
            let place = place.and_then(|place| Some(&place[..position(place, BEHIND)?]));
            is_it =
                place.is_some_and(|place| unescape(place).as_bytes() == mount_point.as_os_str().as_bytes());
            // Of several that are mounted there the last one is seen.
            count = if is_it { None } else { count };
        } else if is_it && line.trim_ascii_start().starts_with(b"xprt:") {
            count = Some(count.unwrap_or(0) + 1);
        }
    }
    count
}

/// Where Oracle looks for the paths of Direct NFS: in the home of each database, and then for all of them.
// Oracle Database Installation Guide for Linux, Creating an oranfstab File for Direct NFS Client.
fn oranfstabs(kernel: &Kernel) -> Vec<PathBuf> {
    let oratab = text::line(&kernel.file("/etc/oratab")).unwrap_or_default();
    // `ORCL:/u01/app/oracle/product/19.0.0/dbhome_1:N`
    let homes =
        oratab.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split(':').nth(1));
    let homes = homes.filter(|home| home.starts_with('/') && !home.contains(".."));
    let mut places: Vec<String> = homes.map(|home| format!("{}/dbs/oranfstab", home.trim())).collect();
    places.dedup();
    places.push("/etc/oranfstab".to_owned());
    places.iter().map(|place| kernel.file(place)).collect()
}

/// How many paths `oranfstab` has to the server of the share that is mounted there; `None` where it does not name the mount point. Without
/// any `path:` the name of the server is the only one.
fn direct_paths(table: &str, mount_point: &Path) -> Option<i64> {
    let mut servers: Vec<(i64, bool)> = Vec::new();
    let lines = table.lines().map(|line| line.split('#').next().unwrap_or_default());
    let words: Vec<&str> = lines.flat_map(str::split_whitespace).collect();
    for pair in words.windows(2) {
        let (key, value) = (pair[0].to_ascii_lowercase(), pair[1]);
        match (key.as_str(), servers.last_mut()) {
            ("server:", _) => servers.push((0, false)),
            ("path:", Some(server)) => server.0 += 1,
            ("mount:", Some(server)) => server.1 |= Path::new(value) == mount_point,
            _ => {}
        }
    }
    servers.iter().find(|(_, is_it)| *is_it).map(|(paths, _)| (*paths).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_connections_are_those_of_the_share_that_is_mounted_there() {
        let stats = b"device /dev/sda1 mounted on / with fstype ext4\n\
            device 10.0.2.4:/oradata mounted on /u02 with fstype nfs statvers=1.1\n\
            \topts:\trw,vers=3\n\txprt:\ttcp 0 0 1 0 5\n\txprt:\ttcp 0 0 1 0 5\n\tper-op statistics\n\
            device 10.0.2.4:/oralog mounted on /u\\04003 with fstype nfs statvers=1.1\n\txprt:\ttcp 0 0 1 0 5\n";
        let of = |place: &str| open_connections(stats, Path::new(place));
        assert_eq!([of("/u02"), of("/u 03"), of("/"), of("/u04")], [Some(2), Some(1), None, None]);
        assert_eq!(open_connections(b"device x mounted on ", Path::new("/u02")), None);
    }

    #[test]
    fn paths_of_direct_nfs_are_those_of_the_server_that_exports_to_the_mount_point() {
        let table = "\
# comment
server: anf1
local: 10.0.1.4
path: 10.0.2.4
local: 10.0.1.5 path: 10.0.2.5
export: /oradata mount: /u02
server: anf2
nfs_version: nfsv3
export: /oralog mount: /u03   # one path
";
        let of = |place: &str| direct_paths(table, Path::new(place));
        assert_eq!([of("/u02"), of("/u03"), of("/u04")], [Some(2), Some(1), None]);
        assert_eq!(direct_paths("path: 10.0.2.4 mount: /u02", Path::new("/u02")), None, "of no server");
    }
}
