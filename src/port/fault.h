/* SPDX-License-Identifier: Apache-2.0 */
/* Seeded faults: mistakes that stay in the tree, each caught by a test (tests/schedule/test_core_faults.c). They exist only in a
 * build with -DBH_FAULTS, where the test picks one; elsewhere BH_FAULT() is the constant 0.
 */
#ifndef BH_PORT_FAULT_H
#define BH_PORT_FAULT_H

#define BH_FAULT_LIST(X)                                                                    \
    X(NONE, "no fault")                                                                     \
    X(RELEASE_NO_RECHECK, "a cached release does not look at pressure again")               \
    X(TAKE_UNDER_PRESSURE, "a cached permit is taken without a look at pressure")           \
    X(SHORT_NO_RESCAN, "pressure is set without calling in what is cached")                 \
    X(SHORT_HALF_SCAN, "the scan for cached permits stops at the first")                    \
    X(CALL_IN_PLAIN, "a cached permit is called in by a plain store")                       \
    X(REFUSE_UNDRAINED, "a try is refused by the pool alone, without the drained mark")     \
    X(REFUSE_TORN, "pool and drained are read by two loads")                                \
    X(LEAVE_NO_SERVE, "a waiter that leaves does not have the queue served again")          \
    X(LEAVE_STAYS_COUNTED, "a waiter that leaves still counts in the queue")                \
    X(GRANT_NO_WAKE, "a grant does not wake its waiter")                                    \
    X(CLAIM_STAYS_GRANTED, "a waiter does not make the permit that it was granted its own") \
    X(PLACE_LOST, "a permit that comes back leaves its waiter's place in the table taken")  \
    X(SERVE_ONE, "serving stops after one grant")                                           \
    X(RAISE_NO_SERVE, "raising the limit does not serve the queue")                         \
    X(LOWER_KEEPS_CACHED, "lowering the limit leaves permits cached")                       \
    X(LOWER_KEEPS_TOO_BIG, "lowering the limit leaves waiters that can never fit")          \
    X(CLOSE_KEEPS_WAITERS, "close leaves one waiter asleep")                                \
    X(CLOSE_REOPENED, "raising the limit clears the closed mark's pressure")                \
    X(CANCEL_NO_WAKE, "a cancelled waiter is not woken")                                    \
    X(CANCEL_UNSEEN, "a token cancelled between check and registration is not seen")        \
    X(RELEASE_TWICE, "a release does not compare the generation")                           \
    X(FIFO_TRY_BARGES, "a try takes what is free although somebody waits")                  \
    X(PARK_NO_CHECK, "a waiter parks without looking at its word")                          \
    X(UNLOCK_NO_WAKE, "the lock is given up without waking who waits for it")               \
    X(DRAIN_NO_WAKE, "the last permit back does not wake who drains")                       \
    X(BARGE_NO_RETRY, "barging: a woken waiter that finds nothing parks without pressure")  \
    X(BARGE_NO_WAKE, "barging: a release under pressure wakes nobody")                      \
    X(BARGE_NO_PATIENCE, "barging: a head out of patience is still passed")                 \
    X(REPAIR_KEEPS_DEAD, "repair keeps a dead owner's permit")                              \
    X(REPAIR_DROPS_CACHED, "repair forgets a permit that a live thread cached meanwhile")   \
    X(REPAIR_KEEPS_PLACE, "repair keeps a living waiter's place whose permit came back")    \
    X(REPAIR_FREES_PLACE, "repair frees a dead waiter's place whose permit others hold")    \
    X(REPAIR_KEEPS_WAITER, "repair keeps a dead waiter at the head of the queue")

enum bh_fault {
#define X(name, text) BH_FAULT_##name,
    BH_FAULT_LIST(X)
#undef X
        BH_FAULT_COUNT
};

#ifdef BH_FAULTS
extern int bh__fault;
#define BH_FAULT(name) (bh__fault == BH_FAULT_##name)
#else
#define BH_FAULT(name) 0
#endif

#endif
