// SPDX-License-Identifier: Apache-2.0
//! tokio's semaphore. Reads one workload a line: pair, refuse, scale2, barge8, fifo64; answers with one line of
//! key=value each. Its waiters are tasks, which switch without the kernel.
use std::hint::{black_box, spin_loop};
use std::io::BufRead;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::*};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::Semaphore;

const WINDOW: usize = 4000;
const ROUNDS: usize = 300;
const SCALE_ROUNDS: usize = 8;
const SCALE_LENGTH: Duration = Duration::from_millis(6);
const CONTEST_LENGTH: Duration = Duration::from_millis(200);
const HOLD_NS: f64 = 200.0;

#[inline(never)]
fn work(steps: usize) {
    let mut x = steps as u64;
    for _ in 0..steps {
        x = black_box(x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407));
    }
    black_box(x);
}

fn steps_of_a_hold() -> usize {
    const STEPS: usize = 200_000;
    let mut fastest = f64::MAX;
    for _ in 0..20 {
        let start = Instant::now();
        work(STEPS);
        fastest = fastest.min(start.elapsed().as_nanos() as f64 / STEPS as f64);
    }
    (HOLD_NS / fastest + 0.5) as usize
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn pairs(s: &Semaphore, count: usize) {
    for _ in 0..count {
        drop(s.try_acquire().expect("an ample semaphore refused"));
    }
}

fn refusals(s: &Semaphore, count: usize) {
    for _ in 0..count {
        assert!(black_box(s.try_acquire()).is_err(), "a full semaphore granted");
    }
}

fn time_calls(calls: fn(&Semaphore, usize), limit: usize) -> String {
    let s = Semaphore::new(limit);
    let one_round = |_| {
        let start = Instant::now();
        calls(&s, WINDOW);
        start.elapsed().as_nanos() as f64 / WINDOW as f64
    };
    format!("ns={:.3}", median((0..ROUNDS).map(one_round).collect()))
}

extern "C" {
    fn sched_setaffinity(pid: i32, size: usize, mask: *const u64) -> i32;
}

fn pin_to_cpu(cpu: usize) {
    let mask = 1u64 << cpu;
    unsafe { sched_setaffinity(0, 8, &mask) };
}

/// try_acquire needs no runtime, so plain threads do for this one.
fn scale_window() -> f64 {
    let (s, over, ready) = (Semaphore::new(1024), AtomicBool::new(false), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        let (s, over, ready) = (&s, &over, &ready);
        let make_pairs = |cpu| {
            scope.spawn(move || {
                pin_to_cpu(cpu);
                ready.fetch_add(1, SeqCst);
                while ready.load(SeqCst) < 3 {
                    spin_loop();
                }
                let mut made = 0;
                while !over.load(Relaxed) {
                    pairs(s, 512);
                    made += 512;
                }
                made
            })
        };
        let both = [make_pairs(0), make_pairs(1)];
        while ready.load(SeqCst) < 2 {
            std::thread::yield_now();
        }
        let start = Instant::now();
        ready.fetch_add(1, SeqCst);
        std::thread::sleep(SCALE_LENGTH);
        over.store(true, Relaxed);
        let made: usize = both.into_iter().map(|thread| thread.join().unwrap()).sum();
        made as f64 * 1e3 / start.elapsed().as_nanos() as f64
    })
}

struct Field {
    s: Semaphore,
    yields: bool,
    hold_steps: usize,
    ready: AtomicUsize,
    measuring: AtomicBool,
    over: AtomicBool,
}

impl Field {
    async fn take_hold_give(&self) -> Duration {
        let start = Instant::now();
        let permit = self.s.acquire().await.unwrap();
        let waited = start.elapsed();
        work(self.hold_steps);
        if self.yields {
            tokio::task::yield_now().await;
        }
        drop(permit);
        waited
    }

    async fn compete(self: Arc<Self>) -> (f64, Duration) {
        let (mut takes, mut longest) = (0.0, Duration::ZERO);
        self.take_hold_give().await;
        self.ready.fetch_add(1, SeqCst);
        while !self.over.load(Relaxed) {
            let counts = self.measuring.load(Relaxed);
            let waited = self.take_hold_give().await;
            if counts {
                takes += 1.0;
                longest = longest.max(waited);
            }
        }
        (takes, longest)
    }
}

fn contest(runtime: &Runtime, hold_steps: usize, tasks: usize, limit: usize, yields: bool) -> String {
    let on = Arc::new(Field {
        s: Semaphore::new(limit),
        yields,
        hold_steps,
        ready: AtomicUsize::new(0),
        measuring: AtomicBool::new(false),
        over: AtomicBool::new(false),
    });
    let all: Vec<_> = (0..tasks).map(|_| runtime.spawn(on.clone().compete())).collect();
    while on.ready.load(SeqCst) < tasks {
        std::thread::sleep(Duration::from_micros(200));
    }
    let start = Instant::now();
    on.measuring.store(true, SeqCst);
    std::thread::sleep(CONTEST_LENGTH);
    on.measuring.store(false, SeqCst);
    let elapsed = start.elapsed().as_nanos() as f64;
    on.over.store(true, SeqCst);
    let results: Vec<_> = all.into_iter().map(|task| runtime.block_on(task).unwrap()).collect();
    report(&results, elapsed)
}

fn report(results: &[(f64, Duration)], elapsed: f64) -> String {
    let sum: f64 = results.iter().map(|r| r.0).sum();
    let squares: f64 = results.iter().map(|r| r.0 * r.0).sum();
    let longest = results.iter().map(|r| r.1).max().unwrap_or_default();
    let jain = sum * sum / (results.len() as f64 * squares);
    format!("rate={:.3} jain={:.5} max-ms={:.4}", sum * 1e6 / elapsed, jain, longest.as_secs_f64() * 1e3)
}

fn main() {
    let runtime = Builder::new_multi_thread().worker_threads(2).build().unwrap();
    let hold_steps = steps_of_a_hold();
    for line in std::io::stdin().lock().lines() {
        let answer = match line.unwrap().as_str() {
            "pair" => time_calls(pairs, 64),
            "refuse" => time_calls(refusals, 0),
            "scale2" => format!("rate={:.3}", median((0..SCALE_ROUNDS).map(|_| scale_window()).collect())),
            "barge8" => contest(&runtime, hold_steps, 8, 1, false),
            "fifo64" => contest(&runtime, hold_steps, 64, 4, true),
            _ => std::process::exit(2),
        };
        println!("{answer}");
    }
}
