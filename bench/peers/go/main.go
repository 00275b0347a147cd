// SPDX-License-Identifier: Apache-2.0

// Go's x/sync/semaphore. Reads one workload a line: pair, refuse, scale2, barge8, fifo64; answers with one line of
// key=value each. Its waiters are goroutines, which switch without the kernel.
package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"runtime"
	"sort"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sync/semaphore"
)

const (
	window      = 4000
	rounds      = 300
	scaleRounds = 8
	scaleLength = 6 * time.Millisecond
	contestTime = 200 * time.Millisecond
	holdNs      = 200
)

var (
	holdSteps  int
	background = context.Background()
	kept       uint64
)

//go:noinline
func work(steps int) uint64 {
	x := uint64(steps)
	for i := 0; i < steps; i++ {
		x = x*6364136223846793005 + 1442695040888963407
	}
	return x
}

func calibrateHold() {
	const steps = 200000
	fastest := 1e9
	for i := 0; i < 20; i++ {
		start := time.Now()
		kept += work(steps)
		if step := float64(time.Since(start)) / steps; step < fastest {
			fastest = step
		}
	}
	holdSteps = int(holdNs/fastest + 0.5)
}

func median(values []float64) float64 {
	sort.Float64s(values)
	return values[len(values)/2]
}

func pairs(s *semaphore.Weighted, count int) {
	for i := 0; i < count; i++ {
		if !s.TryAcquire(1) {
			panic("an ample semaphore refused")
		}
		s.Release(1)
	}
}

func refusals(s *semaphore.Weighted, count int) {
	for i := 0; i < count; i++ {
		if s.TryAcquire(1) {
			panic("a full semaphore granted")
		}
	}
}

func timeCalls(calls func(*semaphore.Weighted, int), s *semaphore.Weighted) string {
	var ns []float64
	for i := 0; i < rounds; i++ {
		start := time.Now()
		calls(s, window)
		ns = append(ns, float64(time.Since(start))/window)
	}
	return fmt.Sprintf("ns=%.3f", median(ns))
}

func full() *semaphore.Weighted {
	s := semaphore.NewWeighted(1)
	s.TryAcquire(1)
	return s
}

func pinToCPU(cpu int) {
	runtime.LockOSThread()
	mask := uint64(1) << uint(cpu)
	syscall.RawSyscall(syscall.SYS_SCHED_SETAFFINITY, 0, 8, uintptr(unsafe.Pointer(&mask)))
}

// scaleWindow lets two goroutines, each on a thread with a CPU of its own, make pairs; the threads end with it.
func scaleWindow() float64 {
	s := semaphore.NewWeighted(1024)
	var over int32
	var made [2]int64
	var ready, done sync.WaitGroup
	begin := make(chan struct{})
	ready.Add(2)
	done.Add(2)
	for i := range made {
		go func(cpu int) {
			pinToCPU(cpu)
			ready.Done()
			<-begin
			count := int64(0)
			for ; atomic.LoadInt32(&over) == 0; count += 512 {
				pairs(s, 512)
			}
			made[cpu] = count
			done.Done()
		}(i)
	}
	ready.Wait()
	start := time.Now()
	close(begin)
	time.Sleep(scaleLength)
	atomic.StoreInt32(&over, 1)
	done.Wait()
	return float64(made[0]+made[1]) * 1e3 / float64(time.Since(start))
}

func scale2() string {
	var rates []float64
	for i := 0; i < scaleRounds; i++ {
		rates = append(rates, scaleWindow())
	}
	return fmt.Sprintf("rate=%.3f", median(rates))
}

type contestant struct {
	takes   int64
	longest time.Duration
	_       [112]byte
}

type field struct {
	s               *semaphore.Weighted
	yields          bool
	measuring, over int32
}

func (on *field) takeHoldGive() time.Duration {
	start := time.Now()
	if on.s.Acquire(background, 1) != nil {
		panic("an acquire without a deadline failed")
	}
	waited := time.Since(start)
	work(holdSteps)
	if on.yields {
		runtime.Gosched()
	}
	on.s.Release(1)
	return waited
}

func (on *field) compete(self *contestant, ready, done *sync.WaitGroup) {
	on.takeHoldGive()
	ready.Done()
	for atomic.LoadInt32(&on.over) == 0 {
		counts := atomic.LoadInt32(&on.measuring) != 0
		waited := on.takeHoldGive()
		if counts {
			self.takes++
			if waited > self.longest {
				self.longest = waited
			}
		}
	}
	done.Done()
}

func contest(goroutines int, limit int64, yields bool) string {
	on := &field{s: semaphore.NewWeighted(limit), yields: yields}
	all := make([]contestant, goroutines)
	var ready, done sync.WaitGroup
	ready.Add(goroutines)
	done.Add(goroutines)
	for i := range all {
		go on.compete(&all[i], &ready, &done)
	}
	ready.Wait()
	start := time.Now()
	atomic.StoreInt32(&on.measuring, 1)
	time.Sleep(contestTime)
	atomic.StoreInt32(&on.measuring, 0)
	elapsed := float64(time.Since(start))
	atomic.StoreInt32(&on.over, 1)
	done.Wait()
	return report(all, elapsed)
}

func report(all []contestant, elapsed float64) string {
	var sum, squares float64
	var longest time.Duration
	for i := range all {
		takes := float64(all[i].takes)
		sum += takes
		squares += takes * takes
		if all[i].longest > longest {
			longest = all[i].longest
		}
	}
	jain := sum * sum / (float64(len(all)) * squares)
	return fmt.Sprintf("rate=%.3f jain=%.5f max-ms=%.4f", sum*1e6/elapsed, jain, longest.Seconds()*1e3)
}

func main() {
	calibrateHold()
	workloads := map[string]func() string{
		"pair":   func() string { return timeCalls(pairs, semaphore.NewWeighted(64)) },
		"refuse": func() string { return timeCalls(refusals, full()) },
		"scale2": scale2,
		"barge8": func() string { return contest(8, 1, false) },
		"fifo64": func() string { return contest(64, 4, true) },
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		run, known := workloads[lines.Text()]
		if !known {
			os.Exit(2)
		}
		fmt.Println(run())
	}
}
