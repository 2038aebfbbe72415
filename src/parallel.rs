//! Does the same work on many items with several threads, which mostly wait for the file system.

use std::sync::atomic::{AtomicBool, Ordering};

/// The maximum number of threads, and the number of items from which a thread is worth its start.
const THREADS: usize = 16;
const ITEMS_OF_ONE: usize = 8;

/// Returns the results of `work` in the order of the items. After the first failure, the items that no thread has begun are
/// passed to `left`.
///
/// # Errors
/// The failure of the first item in their order that failed.
pub(crate) fn try_map<T: Send, R: Send, E: Send>(
    items: Vec<T>,
    work: impl Fn(T) -> Result<R, E> + Sync,
    left: impl Fn(T) + Sync,
) -> Result<Vec<R>, E> {
    let has_failed = AtomicBool::new(false);
    let one = |item: T| match has_failed.load(Ordering::Relaxed) {
        true => {
            left(item);
            None
        }
        false => {
            let made = work(item);
            if made.is_err() {
                has_failed.store(true, Ordering::Relaxed);
            }
            Some(made)
        }
    };
    let length = items.len().div_ceil(THREADS).max(ITEMS_OF_ONE);
    if items.len() <= length {
        let made: Vec<Option<Result<R, E>>> = items.into_iter().map(one).collect();
        return made.into_iter().flatten().collect();
    }
    let mut items = items.into_iter();
    let parts = std::iter::from_fn(|| {
        let part: Vec<T> = items.by_ref().take(length).collect();
        (!part.is_empty()).then_some(part)
    });
    std::thread::scope(|scope| {
        let one = &one;
        let started: Vec<_> = parts
            .map(|part| scope.spawn(move || part.into_iter().map(one).collect::<Vec<_>>()))
            .collect();
        let made: Vec<Option<Result<R, E>>> = started
            .into_iter()
            .flat_map(|part| match part.join() {
                Ok(made) => made,
                Err(panicked) => std::panic::resume_unwind(panicked),
            })
            .collect();
        made.into_iter().flatten().collect()
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn results_have_the_order_of_the_items() {
        for count in [0, 1, 8, 9, 16, 17, 100, 1_000] {
            let items: Vec<usize> = (0..count).collect();
            let made = try_map(items, |item| Ok::<_, ()>(item * 2), |_| ());
            assert_eq!(made, Ok((0..count).map(|item| item * 2).collect()));
        }
    }

    #[test]
    fn after_a_failure_each_item_is_done_or_left() {
        for count in [5, 100] {
            let (done, rest) = (Mutex::default(), Mutex::default());
            let push = |list: &Mutex<Vec<usize>>, item| {
                list.lock().expect("no thread panics").push(item);
            };
            let work = |item| {
                push(&done, item);
                match item % 3 {
                    0 => Err(item),
                    _ => Ok(()),
                }
            };
            let made = try_map((0..count).collect(), work, |item| push(&rest, item));
            assert!(matches!(made, Err(item) if item % 3 == 0), "{made:?}");
            let lists = [done, rest].map(|list| list.into_inner().expect("no thread panics"));
            let mut all = lists.concat();
            all.sort();
            assert_eq!(all, Vec::from_iter(0..count));
        }
    }
}
