// SPDX-License-Identifier: Apache-2.0
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;

/**
 * java.util.concurrent.Semaphore. usage: java SemaphorePeer fair|nonfair; reads one workload a line: pair, refuse,
 * scale2, barge8, fifo64; answers with one line of key=value each. Whoever asks throws the first answers away: the code
 * is compiled while they are made.
 */
final class SemaphorePeer {
    private static final int WINDOW = 4000;
    private static final int ROUNDS = 300;
    private static final int SCALE_ROUNDS = 8;
    private static final long SCALE_MS = 6;
    private static final long CONTEST_MS = 400;
    private static final double HOLD_NS = 200;

    private static int holdSteps;
    private static long kept;

    private interface Calls {
        void run(Semaphore semaphore, int count);
    }

    private static void pairs(Semaphore semaphore, int count) {
        for (int i = 0; i < count; i++) {
            if (!semaphore.tryAcquire()) {
                throw new AssertionError("an ample semaphore refused");
            }
            semaphore.release();
        }
    }

    private static void refusals(Semaphore semaphore, int count) {
        for (int i = 0; i < count; i++) {
            if (semaphore.tryAcquire()) {
                throw new AssertionError("a full semaphore granted");
            }
        }
    }

    private static double median(double[] values) {
        Arrays.sort(values);
        return values[values.length / 2];
    }

    private static String timeCalls(Calls calls, Semaphore semaphore) {
        double[] ns = new double[ROUNDS];
        for (int i = 0; i < ROUNDS; i++) {
            long start = System.nanoTime();
            calls.run(semaphore, WINDOW);
            ns[i] = (double) (System.nanoTime() - start) / WINDOW;
        }
        return String.format("ns=%.3f", median(ns));
    }

    private static ExecutorService threadNamed(String name) throws Exception {
        ExecutorService one = Executors.newSingleThreadExecutor(work -> {
            Thread thread = new Thread(work, name);
            thread.setDaemon(true);
            return thread;
        });
        one.submit(() -> { }).get();
        return one;
    }

    /** Java cannot pin a thread: whoever runs the benchmark pins these two, by their names. */
    private static ExecutorService[] pinnedThreads() throws Exception {
        return new ExecutorService[] {threadNamed("on-cpu-0"), threadNamed("on-cpu-1")};
    }

    private static final class ScaleWindow {
        private final Semaphore semaphore;
        private final CountDownLatch ready = new CountDownLatch(2);
        private volatile boolean begun;
        private volatile boolean over;

        ScaleWindow(boolean fair) {
            semaphore = new Semaphore(1024, fair);
        }

        private long makePairs() {
            ready.countDown();
            while (!begun) {
                Thread.onSpinWait();
            }
            long made = 0;
            while (!over) {
                pairs(semaphore, 512);
                made += 512;
            }
            return made;
        }

        double run(ExecutorService[] both) throws Exception {
            Future<Long> first = both[0].submit(this::makePairs);
            Future<Long> second = both[1].submit(this::makePairs);
            ready.await();
            long start = System.nanoTime();
            begun = true;
            Thread.sleep(SCALE_MS);
            over = true;
            long made = first.get() + second.get();
            return made * 1e3 / (System.nanoTime() - start);
        }
    }

    private static String scale2(ExecutorService[] both, boolean fair) throws Exception {
        double[] rates = new double[SCALE_ROUNDS];
        for (int i = 0; i < SCALE_ROUNDS; i++) {
            rates[i] = new ScaleWindow(fair).run(both);
        }
        return String.format("rate=%.3f", median(rates));
    }

    private static long work(int steps) {
        long x = steps;
        for (int i = 0; i < steps; i++) {
            x = x * 6364136223846793005L + 1442695040888963407L;
        }
        return x;
    }

    private static void calibrateHold() {
        double fastest = 1e9;
        for (int round = 0; round < 60; round++) {
            long start = System.nanoTime();
            for (int i = 0; i < 1000; i++) {
                kept += work(200 + (i & 1));
            }
            fastest = Math.min(fastest, (System.nanoTime() - start) / 200500.0);
        }
        holdSteps = (int) (HOLD_NS / fastest + 0.5);
    }

    private static final class Contest {
        private final Semaphore semaphore;
        private final boolean yields;
        private final Thread[] threads;
        private final long[] takes;
        private final long[] longest;
        private final CountDownLatch ready;
        private volatile boolean measuring;
        private volatile boolean over;

        Contest(int count, Semaphore semaphore, boolean yields) {
            this.semaphore = semaphore;
            this.yields = yields;
            threads = new Thread[count];
            takes = new long[count];
            longest = new long[count];
            ready = new CountDownLatch(count);
        }

        private long takeHoldGive() {
            long start = System.nanoTime();
            semaphore.acquireUninterruptibly();
            long waited = System.nanoTime() - start;
            long result = work(holdSteps);
            if (yields) {
                Thread.yield();
            }
            semaphore.release();
            if (result == 0) {
                kept++;
            }
            return waited;
        }

        private void compete(int self) {
            long made = 0;
            long max = 0;
            takeHoldGive();
            ready.countDown();
            while (!over) {
                boolean counts = measuring;
                long waited = takeHoldGive();
                if (counts) {
                    made++;
                    max = Math.max(max, waited);
                }
            }
            takes[self] = made;
            longest[self] = max;
        }

        String run() throws InterruptedException {
            for (int i = 0; i < threads.length; i++) {
                int self = i;
                threads[i] = new Thread(() -> compete(self));
                threads[i].start();
            }
            ready.await();
            long start = System.nanoTime();
            measuring = true;
            Thread.sleep(CONTEST_MS);
            measuring = false;
            double elapsed = System.nanoTime() - start;
            over = true;
            for (Thread thread : threads) {
                thread.join();
            }
            return report(elapsed);
        }

        private String report(double elapsed) {
            double sum = 0;
            double squares = 0;
            for (long made : takes) {
                sum += made;
                squares += (double) made * made;
            }
            return String.format("rate=%.3f jain=%.5f max-ms=%.4f", sum * 1e6 / elapsed,
                sum * sum / (takes.length * squares), Arrays.stream(longest).max().getAsLong() / 1e6);
        }
    }

    private static String answer(String workload, boolean fair, ExecutorService[] pinned) throws Exception {
        switch (workload) {
            case "pair":
                return timeCalls(SemaphorePeer::pairs, new Semaphore(64, fair));
            case "refuse":
                return timeCalls(SemaphorePeer::refusals, new Semaphore(0, fair));
            case "scale2":
                return scale2(pinned, fair);
            case "barge8":
                return new Contest(8, new Semaphore(1, fair), false).run();
            case "fifo64":
                return new Contest(64, new Semaphore(4, fair), true).run();
            default:
                throw new IllegalArgumentException(workload);
        }
    }

    public static void main(String[] arguments) throws Exception {
        boolean fair = arguments[0].equals("fair");
        ExecutorService[] pinned = pinnedThreads();
        calibrateHold();
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            System.out.println(answer(line, fair, pinned));
        }
    }
}
