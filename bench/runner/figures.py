# SPDX-License-Identifier: Apache-2.0
"""The figures that Bulkhead is held to: what each is, and the gate and the goal it is judged by.

Samples are kept as {(workload, who, key): {repetition: value}}; `who` is "bulkhead" or a peer's name."""
import statistics
from dataclasses import dataclass
from typing import Optional


@dataclass(frozen=True)
class Figure:
    id: str
    what: str
    unit: str
    workload: str
    key: str
    at_most: bool  # else at least
    gate: float
    goal: float
    against: Optional[tuple] = None  # (who, key): divided by that peer's value in the same repetition
    never: Optional[str] = None  # a key that must be 0 in every repetition


FIGURES = [
    Figure("pair", "try + release, to a bare atomic pair", "x bare pair", "uncontended", "pair", True, 2.0, 1.75),
    Figure("pair-wait", "the same with a wait of 1 s allowed, to our own try + release", "x own pair", "uncontended",
           "pair-wait", True, 1.5, 1.1),
    Figure("pair-cross", "acquired on one CPU, released on another, to sem_t", "x sem_t", "cross", "pair-cross", True,
           2.0, 1.2),
    Figure("refuse", "a counted refusal when full, to a bare atomic pair", "x bare pair", "uncontended", "refuse", True,
           1.0, 0.6),
    Figure("weights", "weights 1 to 8 in turn, to our own weight 1", "x own pair", "uncontended", "weights", True, 1.5,
           1.05),
    Figure("scale2", "pairs/s of two threads on two CPUs, to two threads on one bare word", "x bare word", "scale2",
           "scale2", False, 2.5, 4.0),
    Figure("near-full", "32 threads, limit 16, 200 ns held, FIFO: pairs/s, to sem_t", "x sem_t", "near-full", "to-sem",
           False, 0.3, 1.0),
    Figure("near-full-refuse", "the same without a queue: tries/s, to sem_t", "x sem_t", "near-full-refuse", "to-sem",
           False, 0.7, 1.0),
    Figure("barge8", "barging, 8 threads, 1 permit, 200 ns held: pairs/s, to sem_t", "x sem_t", "barge8", "to-sem",
           False, 1.7, 2.1),
    Figure("barge8-max", "the longest wait of it", "ms", "barge8", "own-max-ms", True, 20, 10),
    Figure("fifo64", "FIFO, 64 threads, 4 permits, a yield while held: pairs/s, to Java's fair semaphore",
           "x Java fair", "fifo64", "own-rate", False, 2.0, 2.8, against=("Java fair", "rate")),
    Figure("fifo64-jain", "Jain's index of it over the threads", "Jain", "fifo64", "own-jain", False, 0.99, 0.999),
    Figure("late", "how late a wait of 1 ms ends, p99; none may end early", "us", "late", "late", True, 1000, 200,
           never="early"),
]


@dataclass(frozen=True)
class Verdict:
    figure: Figure
    values: list  # one for each repetition

    @property
    def measured(self):
        return bool(self.values)

    @property
    def median(self):
        return statistics.median(self.values)

    @property
    def quartiles(self):
        return quartiles(self.values)

    def meets(self, bound):
        if not self.measured:
            return False
        return self.median <= bound if self.figure.at_most else self.median >= bound

    @property
    def gate_met(self):
        return self.meets(self.figure.gate)

    @property
    def goal_met(self):
        return self.meets(self.figure.goal)


def quartiles(values):
    ordered = sorted(values)
    count = len(ordered)
    return ordered[count // 4], ordered[-1 - count // 4]


def ratios(samples, over, under):
    """The quotient of two series, repetition by repetition."""
    above, below = samples.get(over, {}), samples.get(under, {})
    return [above[r] / below[r] for r in sorted(above) if below.get(r)]


def judge(figure, samples):
    own = (figure.workload, "bulkhead", figure.key)
    if figure.against:
        who, key = figure.against
        return Verdict(figure, ratios(samples, own, (figure.workload, who, key)))
    broken = figure.never and any(samples.get((figure.workload, "bulkhead", figure.never), {}).values())
    by_repetition = samples.get(own, {})
    # What must never happen and did is worse than any figure.
    return Verdict(figure, [float("inf")] if broken else [by_repetition[r] for r in sorted(by_repetition)])


def workloads_of(ids):
    """The workloads that these figures need; all of them for none."""
    wanted = [f.workload for f in FIGURES if not ids or f.id in ids]
    return list(dict.fromkeys(wanted))
