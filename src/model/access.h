/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside the model: the parts of model_access() that live in files of their own.
 */
#ifndef LOCKSTEP_MODEL_ACCESS_H
#define LOCKSTEP_MODEL_ACCESS_H

#include "model/model.h"

/* Shared memory: wavefronts, wavefronts_ideal, bank_conflicts, degree. access_shared.c */
void shared_cost(const struct device_profile *d, const struct access *a, struct access_cost *out);

#endif
