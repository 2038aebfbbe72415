//! The memory of a process group. Input: its number. Output: the bytes of its processes that are in memory.
//!
//! Memory that several processes share counts for each of them. Only Linux reports it.

#![cfg_attr(
    target_os = "linux",
    expect(
        clippy::disallowed_methods,
        reason = "the system reports the memory of processes as files"
    )
)]

/// Returns the memory of each process group that is asked for; none on systems that do not report it.
#[cfg(target_os = "linux")]
pub(super) fn of_groups(groups: &[u32]) -> Option<Vec<u64>> {
    let mut used = vec![0; groups.len()];
    for entry in std::fs::read_dir("/proc").ok()?.flatten() {
        let name = entry.file_name();
        let Some(process) = name.to_str().filter(|name| name.parse::<u32>().is_ok()) else {
            continue;
        };
        // A process may end in the meantime.
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat"));
        let group = stat.ok().as_deref().and_then(group_of);
        if let Some(at) = groups.iter().position(|one| Some(*one) == group) {
            let status = std::fs::read_to_string(format!("/proc/{process}/status"));
            used[at] += status
                .ok()
                .as_deref()
                .and_then(resident)
                .unwrap_or_default();
        }
    }
    Some(used)
}

#[cfg(not(target_os = "linux"))]
pub(super) fn of_groups(_: &[u32]) -> Option<Vec<u64>> {
    None
}

/// Returns the process group in `/proc/*/stat`: the third field after the name, which may contain anything.
#[cfg(target_os = "linux")]
fn group_of(stat: &str) -> Option<u32> {
    let (_, fields) = stat.rsplit_once(')')?;
    fields.split_whitespace().nth(2)?.parse().ok()
}

/// Returns the bytes in memory in `/proc/*/status`.
#[cfg(target_os = "linux")]
fn resident(status: &str) -> Option<u64> {
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_the_system_are_read() {
        assert_eq!(group_of("12 (a) b) S 1 34 34 0 -1"), Some(34));
        assert_eq!(resident("Name:\ta\nVmRSS:\t  12 kB\n"), Some(12 * 1024));
        let own = rustix::process::getpgrp().as_raw_nonzero().get();
        let own = u32::try_from(own).expect("a number");
        let used = of_groups(&[own, u32::MAX]).expect("Linux reports it");
        assert!(used[0] > 0 && used[1] == 0, "{used:?}");
    }
}
