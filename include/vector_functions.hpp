/* SPDX-License-Identifier: Apache-2.0
 *
 * vector_functions.hpp: an older spelling of vector_functions.h.
 */
#include "vector_functions.h"
