# SPDX-License-Identifier: Apache-2.0
"""Runs everything in turn, over and over: each repetition begins with another workload and, within a workload, with
another program, so that a slow spell of the machine hits all of them alike."""
import contextlib
import os
import resource
import select
import subprocess
import time

# What runs in a workload: our program with its arguments, and what the peers are asked for beside it.
WORKLOADS = {
    "uncontended": (["uncontended"], ["pair", "refuse"]),
    "cross": (["cross"], []),
    "scale2": (["scale2"], ["scale2"]),
    "near-full": (["contended", "near-full"], []),
    "near-full-refuse": (["contended", "near-full-refuse"], []),
    "barge8": (["contended", "barge8"], ["barge8"]),
    "fifo64": (["contended", "fifo64"], ["fifo64"]),
    "late": (["late"], []),
}
ANSWER_SECONDS = 60
WARM_UP = {"uncontended": 6, "scale2": 2, "barge8": 2, "fifo64": 2}  # for just-in-time compilers
TICK = os.sysconf("SC_CLK_TCK")
DISTURBED = 0.15  # of all CPUs, taken by other processes: measured again
ATTEMPTS = 3
RETRY_SECONDS = 40


def parse(line):
    return {key: float(value) for key, value in (field.split("=", 1) for field in line.split())}


def machine_cpu_seconds():
    """What all CPUs spent other than idle, the host's share included."""
    with open("/proc/stat", encoding="ascii") as stat:
        user, nice, system, _idle, _iowait, irq, softirq, steal = map(int, stat.readline().split()[1:9])
    return (user + nice + system + irq + softirq + steal) / TICK


class Program:
    """One of ours: a fresh process each time."""

    def __init__(self, command):
        self.command = command

    def cpu_seconds(self):
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    def measure(self, _workload):
        done = subprocess.run(self.command, capture_output=True, text=True, timeout=ANSWER_SECONDS, check=False)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip() or f"exit status {done.returncode}")
        return parse(done.stdout)

    def end(self):
        pass


class Peer:
    """A process that answers one line for each workload it is asked for; it stays, so that it stays compiled."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True, env={**os.environ, "GOMAXPROCS": "2"})

    def cpu_seconds(self):
        with open(f"/proc/{self.process.pid}/stat", encoding="utf-8") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICK

    def measure(self, workload):
        self.process.stdin.write(workload + "\n")
        self.process.stdin.flush()
        if not select.select([self.process.stdout], [], [], ANSWER_SECONDS)[0]:
            raise RuntimeError(f"no answer in {ANSWER_SECONDS} s")
        answer = parse(self.process.stdout.readline())
        if not answer:
            raise RuntimeError("it ended")
        return answer

    def pin_threads(self):
        """For those who cannot do it themselves: the threads on-cpu-0 and on-cpu-1."""
        tasks = f"/proc/{self.process.pid}/task"
        for task in os.listdir(tasks):
            with contextlib.suppress(FileNotFoundError):  # a thread that has just ended is none of the two
                with open(f"{tasks}/{task}/comm", encoding="utf-8") as comm:
                    name = comm.read().strip()
                if name in ("on-cpu-0", "on-cpu-1"):
                    os.sched_setaffinity(int(task), {int(name[-1])})

    def end(self):
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Run:
    def __init__(self, programs, peers, workloads):
        self.programs = programs
        self.workloads = workloads
        self.peers = {name: Peer(command) for name, command in peers.items()}
        self.samples = {}  # {(workload, who, key): {repetition: value}}
        self.failures = []
        self.broken = set()  # workloads in which our own program failed
        self.repetitions = 0
        self.disturbed = 0
        self.retry_seconds = 0.0
        self.seconds = 0.0

    def end(self):
        for peer in self.peers.values():
            peer.end()

    def repeat(self, repetitions, seconds):
        start = time.monotonic()
        self.warm_up()
        order = list(self.workloads)
        for repetition in range(repetitions):
            if repetition and time.monotonic() - start > seconds:
                break
            print(f"\rrepetition {repetition + 1} of {repetitions} ... ", end="", flush=True)
            for workload in order:
                self.measure_workload(workload, repetition)
            order = order[1:] + order[:1]
            self.repetitions += 1
        self.seconds = time.monotonic() - start
        print("done\n")

    def warm_up(self):
        print("warming up ...", flush=True)
        for name, peer in list(self.peers.items()):
            for workload in self.workloads:
                for asked in WORKLOADS[workload][1]:
                    for _ in range(WARM_UP[workload] if name.startswith("Java") else 1):
                        self.attempt(name, peer, asked)
            if name in self.peers:
                peer.pin_threads()

    def measure_workload(self, workload, repetition):
        command, asked = WORKLOADS[workload]
        ours = Program([self.programs[command[0]], *command[1:]])
        runs = [] if workload in self.broken else [("bulkhead", ours, [workload])]
        runs += [(name, peer, asked) for name, peer in self.peers.items() if asked]
        if not runs:
            return
        first = repetition % len(runs)
        for who, subject, names in runs[first:] + runs[:first]:
            for name in names:
                for key, value in self.measure_undisturbed(who, subject, name).items():
                    self.samples.setdefault((name if who != "bulkhead" else workload, who, key), {})[repetition] = value

    def measure_undisturbed(self, who, subject, workload):
        """Again, while there is time for it, when other processes took much of the CPUs; keeps the quietest."""
        quietest, kept = None, {}
        for attempt in range(ATTEMPTS):
            start, busy, own = time.monotonic(), machine_cpu_seconds(), subject.cpu_seconds()
            answer = self.attempt(who, subject, workload)
            if not answer:
                return {}
            took = time.monotonic() - start
            foreign = (machine_cpu_seconds() - busy - (subject.cpu_seconds() - own)) / (took * os.cpu_count())
            if quietest is None or foreign < quietest:
                quietest, kept = foreign, answer
            self.retry_seconds += took if attempt else 0
            if foreign <= DISTURBED:
                break
            self.disturbed += 1
            if self.retry_seconds > RETRY_SECONDS:
                break
        return kept

    def attempt(self, who, subject, workload):
        """Who fails once is asked no more; our own figures of that workload then count as unmeasured."""
        if isinstance(subject, Peer) and who not in self.peers:
            return {}
        try:
            return subject.measure(workload)
        except (RuntimeError, OSError, ValueError, subprocess.TimeoutExpired) as problem:
            self.failures.append(f"{who}, {workload}: {problem}")
            if isinstance(subject, Peer):
                del self.peers[who]
                subject.end()
            else:
                self.broken.add(workload)
                for key in [key for key in self.samples if key[:2] == (workload, who)]:
                    del self.samples[key]
            return {}
