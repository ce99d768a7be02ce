/* SPDX-License-Identifier: Apache-2.0
 *
 * managed.h: tells the runtime where this module's __managed__ variables are. They lie in one
 * section of the program (crt/host_defines.h); the linker defines its bounds, or leaves them null
 * where there is no such variable. Runs before clang's registration of the module, whose
 * constructor has the default priority.
 */
#ifndef LOCKSTEP_MANAGED_H
#define LOCKSTEP_MANAGED_H

#if !defined(__CUDA_ARCH__)
extern "C" {
extern char __start_lockstep_managed[] __attribute__((weak, visibility("hidden")));
extern char __stop_lockstep_managed[] __attribute__((weak, visibility("hidden")));
}

__attribute__((constructor(65000), unused)) static void
lockstep_register_managed()
{
    if (&__start_lockstep_managed[0] != &__stop_lockstep_managed[0])
        __lockstepRegisterManaged(__start_lockstep_managed, __stop_lockstep_managed);
}
#endif

#endif
