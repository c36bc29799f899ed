//! Many files, several at a time.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Does the work of each item on all CPUs, so that never all of them are in memory at once. What comes of them has their order.
pub fn in_parallel<I: Sync, T: Send>(items: &[I], work: impl Fn(&I) -> T + Sync) -> Vec<T> {
    // Taken one by one and not in equal parts: sizes of records differ a thousandfold.
    let next = AtomicUsize::new(0);
    let slots: Vec<Mutex<Option<T>>> = items.iter().map(|_| Mutex::new(None)).collect();
    // One for each CPU, because reading is unpacking and parsing; the disk is rarely the limit.
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(items.len());
    thread::scope(|scope| {
        let do_some = || {
            let mine = || {
                let index = next.fetch_add(1, Ordering::Relaxed);
                Some((items.get(index)?, slots.get(index)?))
            };
            while let Some((item, slot)) = mine() {
                let done = work(item);
                *slot.lock().expect("no thread panics while it writes one value") = Some(done);
            }
        };
        // This thread is one of them, so that the work is done even where the system gives no other (ulimit -u, a control group).
        for _ in 1..threads {
            if thread::Builder::new().spawn_scoped(scope, do_some).is_err() {
                break;
            }
        }
        do_some();
    });
    let done = |slot: Mutex<Option<T>>| {
        let done = slot.into_inner().expect("no thread panics while it writes one value");
        done.expect("all of the work is done before the threads end")
    };
    slots.into_iter().map(done).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_of_the_items_has_their_order() {
        let items: Vec<u64> = (0..1_000).collect();
        assert_eq!(in_parallel(&items, |item| item * 2), (0..1_000).map(|item| item * 2).collect::<Vec<_>>());
        assert!(in_parallel(&[] as &[u64], |item| *item).is_empty());
    }
}
