# SPDX-License-Identifier: Apache-2.0
"""Prints what was measured, for people, and writes it, for programs."""
import statistics

from figures import quartiles, ratios

PEERS = ["nsync", "Go x/sync", "tokio", "Java fair", "Java nonfair"]


def short(value):
    if value >= 100:
        return f"{value:.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.3f}"


def between(values):
    low, high = quartiles(values)
    return f"[{short(low)} - {short(high)}]"


def word(met):
    return "met" if met else "missed"


def print_figures(verdicts):
    print(f"{'id':16} {'median':>8}  {'quartiles':19} {'unit':12} {'gate':>15} {'goal':>15}   what")
    for verdict in verdicts:
        figure = verdict.figure
        sign = "<=" if figure.at_most else ">="
        if not verdict.measured:
            print(f"{figure.id:16} {'unmeasured':>29} {figure.unit:>13} {sign} {figure.gate:<5g} {'missed':>6}"
                  f" {sign} {figure.goal:<5g}          {figure.what}")
            continue
        gate = f"{sign} {figure.gate:g} {word(verdict.gate_met)}"
        goal = f"{sign} {figure.goal:g} {word(verdict.goal_met)}"
        print(f"{figure.id:16} {short(verdict.median):>8}  {between(verdict.values):19} {figure.unit:12} {gate:>15}"
              f" {goal:>15}   {figure.what}")


def cell(values):
    return short(statistics.median(values)) if values else "-"


def median_of(samples, key):
    return cell(list(samples.get(key, {}).values()))


def row(name, *cells):
    pair, pair_ns, refuse, scale, barge, barge_sem, barge_max, fifo, fifo_java, fifo_max = cells
    print(f"{name:14} {pair:>9} {pair_ns:>7} {refuse:>9}  {scale:>8}  {barge:>9} {barge_sem:>8} {barge_max:>8}  "
          f"{fifo:>9} {fifo_java:>8} {fifo_max:>8}")


def print_peers(samples):
    """Every ratio is taken within a repetition."""
    own, java = "bulkhead", "Java fair"
    print(f"{'':14} {'one thread':^27}  {'two CPUs':>8}  {'8 threads, 1 permit':^27}  {'64 threads, 4 permits':^27}")
    row("", "pair", "pair", "refusal", "pairs/s", "pairs/ms", "pairs/s", "longest", "pairs/ms", "pairs/s", "longest")
    row("", "x bare", "ns", "x bare", "x bare", "", "x sem_t", "wait ms", "", "x Java", "wait ms")
    bare = ("uncontended", own, "bare-ns")
    row("bare atomics", "1", median_of(samples, bare), "-", "1", *["-"] * 6)
    for name, mark in (("bulkhead", "own"), ("sem_t", "sem")):
        prefix = "" if mark == "own" else "sem-"
        row(name, median_of(samples, ("uncontended", own, prefix + "pair")),
            median_of(samples, ("uncontended", own, prefix + "pair-ns")),
            median_of(samples, ("uncontended", own, prefix + "refuse")),
            median_of(samples, ("scale2", own, prefix + "scale2")),
            median_of(samples, ("barge8", own, mark + "-rate")),
            cell(ratios(samples, ("barge8", own, mark + "-rate"), ("barge8", own, "sem-rate"))),
            median_of(samples, ("barge8", own, mark + "-max-ms")),
            median_of(samples, ("fifo64", own, mark + "-rate")),
            cell(ratios(samples, ("fifo64", own, mark + "-rate"), ("fifo64", java, "rate"))),
            median_of(samples, ("fifo64", own, mark + "-max-ms")))
    for name in PEERS:
        row(name, cell(ratios(samples, ("pair", name, "ns"), bare)), median_of(samples, ("pair", name, "ns")),
            cell(ratios(samples, ("refuse", name, "ns"), bare)),
            cell(ratios(samples, ("scale2", name, "rate"), ("scale2", own, "bare-rate"))),
            median_of(samples, ("barge8", name, "rate")),
            cell(ratios(samples, ("barge8", name, "rate"), ("barge8", own, "sem-rate"))),
            median_of(samples, ("barge8", name, "max-ms")),
            median_of(samples, ("fifo64", name, "rate")),
            cell(ratios(samples, ("fifo64", name, "rate"), ("fifo64", java, "rate"))),
            median_of(samples, ("fifo64", name, "max-ms")))
    print("\nbulkhead: barging with 1 permit, FIFO with 4. The waiters of Go and tokio are tasks, which switch\n"
          "without the kernel; all others are threads.")


def print_all(verdicts, run, left_out):
    print(f"{run.repetitions} repetitions in {run.seconds:.0f} s, each in another order; medians [quartiles].\n"
          f"{run.disturbed} runs were disturbed by other processes, and repeated while there was time.\n")
    print_figures(verdicts)
    print("\nBeside others:\n")
    print_peers(run.samples)
    for line in left_out:
        print(line)
    missed = [v.figure.id for v in verdicts if not v.gate_met]
    goals = [v.figure.id for v in verdicts if v.gate_met and not v.goal_met]
    print(f"\ngates: {'all met' if not missed else 'missed or unmeasured: ' + ', '.join(missed)}"
          f"\ngoals: {'missed: ' + ', '.join(goals) if goals else 'all met' if not missed else 'see above'}")


def write_tsv(path, verdicts):
    with open(path, "w", encoding="utf-8") as out:
        out.write("id\tfigure\tunit\tgate\tgoal\tmet\n")
        for verdict in verdicts:
            figure = verdict.figure
            value = f"{verdict.median:.4g}" if verdict.measured else "-"
            met = f"gate: {'yes' if verdict.gate_met else 'no'}; goal: {word(verdict.goal_met)}"
            out.write(f"{figure.id}\t{value}\t{figure.unit}\t{figure.gate:g}\t{figure.goal:g}\t"
                      f"{met if verdict.measured else 'unmeasured'}\n")


def write_samples(path, samples):
    """Every value of every repetition, for whoever wants to look closer."""
    with open(path, "w", encoding="utf-8") as out:
        for key, by_repetition in samples.items():
            out.write("\t".join([*key, *(f"{by_repetition[r]:g}" for r in sorted(by_repetition))]) + "\n")
