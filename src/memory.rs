//! The memory that trees take, the memory that other processes use, and amounts of memory as text.
//!
//! The memory of a tree is estimated from its nodes: what the system reports for this process includes memory that the
//! allocator keeps. For other processes, Linux reports it; memory that several of them share counts for each.

#![cfg_attr(
    all(feature = "servers", target_os = "linux"),
    expect(
        clippy::disallowed_methods,
        reason = "the system reports the memory of processes as files"
    )
)]

use std::sync::atomic::{AtomicUsize, Ordering};

/// The units of an amount.
const UNITS: &[(&str, f64)] = &[("GB", 1e9), ("MB", 1e6)];

/// Reads an amount such as `4 GB` or `500MB` as a number of bytes.
///
/// # Errors
/// It is not a positive number with one of these units; says so.
pub fn parse(text: &str) -> Result<u64, String> {
    let read = UNITS.iter().find_map(|(unit, bytes)| {
        let number: f64 = text.strip_suffix(unit)?.trim().parse().ok()?;
        (number.is_finite() && number > 0.0).then_some((number * bytes) as u64)
    });
    read.ok_or_else(|| format!("invalid memory {text:?}, expected \"4 GB\" or \"500 MB\""))
}

/// Returns a number of bytes as text.
#[cfg(feature = "disk")]
pub(crate) fn text(bytes: u64) -> String {
    let (unit, size) = UNITS
        .iter()
        .find(|(_, size)| bytes as f64 >= *size)
        .unwrap_or(&UNITS[1]);
    let number = format!("{:.1}", bytes as f64 / size);
    format!("{} {unit}", number.trim_end_matches(".0"))
}

/// The bytes of everything that is [`Held`].
static HELD: AtomicUsize = AtomicUsize::new(0);

/// Memory that a value takes for as long as it exists.
#[derive(Debug)]
pub(crate) struct Held(usize);

impl Held {
    pub(crate) fn new(bytes: usize) -> Held {
        HELD.fetch_add(bytes, Ordering::Relaxed);
        Held(bytes)
    }

    #[cfg(feature = "disk")]
    pub(crate) fn bytes(&self) -> usize {
        self.0
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        HELD.fetch_sub(self.0, Ordering::Relaxed);
    }
}

/// Returns how many bytes are held in this process.
pub(crate) fn held() -> usize {
    HELD.load(Ordering::Relaxed)
}

/// Returns the memory of each process group that is asked for; none on systems that do not report it.
#[cfg(all(feature = "servers", target_os = "linux"))]
pub(crate) fn of_groups(groups: &[u32]) -> Option<Vec<u64>> {
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

#[cfg(all(feature = "servers", not(target_os = "linux")))]
pub(crate) fn of_groups(_: &[u32]) -> Option<Vec<u64>> {
    None
}

/// Returns the process group in `/proc/*/stat`: the third field after the name, which may contain anything.
#[cfg(all(feature = "servers", target_os = "linux"))]
fn group_of(stat: &str) -> Option<u32> {
    let (_, fields) = stat.rsplit_once(')')?;
    fields.split_whitespace().nth(2)?.parse().ok()
}

/// Returns the bytes in memory in `/proc/*/status`.
#[cfg(all(feature = "servers", target_os = "linux"))]
fn resident(status: &str) -> Option<u64> {
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read_and_shown() {
        for (amount, bytes, shown) in [
            ("4 GB", 4_000_000_000, "4 GB"),
            ("1.5GB", 1_500_000_000, "1.5 GB"),
            ("500 MB", 500_000_000, "500 MB"),
        ] {
            assert_eq!(parse(amount), Ok(bytes), "{amount}");
            #[cfg(feature = "disk")]
            assert_eq!(text(bytes), shown);
        }
        for amount in ["4", "", "GB", "-1 GB", "0 MB", "x GB"] {
            assert!(parse(amount).is_err(), "{amount}");
        }
    }

    #[test]
    #[cfg(all(feature = "servers", target_os = "linux"))]
    fn the_files_of_the_system_are_read() {
        assert_eq!(group_of("12 (a) b) S 1 34 34 0 -1"), Some(34));
        assert_eq!(resident("Name:\ta\nVmRSS:\t  12 kB\n"), Some(12 * 1024));
        let group = rustix::process::getpgrp().as_raw_nonzero().get();
        let group = u32::try_from(group).expect("a number");
        let used = of_groups(&[group, u32::MAX]).expect("Linux reports it");
        assert!(used[0] > 0 && used[1] == 0, "{used:?}");
    }
}
