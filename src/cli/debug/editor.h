/* SPDX-License-Identifier: Apache-2.0
 *
 * editor: commands from the terminal, with a history and completion by libedit where that is
 * installed, or line by line from standard input.
 */
#ifndef LOCKSTEP_CLI_EDITOR_H
#define LOCKSTEP_CLI_EDITOR_H

struct session;

/* Until `quit' or the end of input. */
void editor_run(struct session *s);

#endif
