/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* y = a * x + y, on the device; returns false and says why when a call fails. */
bool saxpy(int n, float a, const float *x, float *y);
