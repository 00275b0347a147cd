/* SPDX-License-Identifier: Apache-2.0 */
/* Scenarios made for one step of a protocol each, and the seeded faults that they catch. */
#ifndef BH_TESTS_SCHEDULE_CORE_FAULTS_H
#define BH_TESTS_SCHEDULE_CORE_FAULTS_H

#include "core_actors.h"
#include "port/fault.h"

#define CORE_FAULTS_EACH 4u

struct core_step {
    struct core_scenario scenario;
    enum bh_fault catches[CORE_FAULTS_EACH]; /* up to BH_FAULT_NONE */
};

extern const struct core_step core_steps[];
extern const unsigned core_step_count;

#endif
