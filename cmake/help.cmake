# SPDX-License-Identifier: Apache-2.0
# Manual pages and completions of shells, written by the command itself from the tables that its --help
# is made of; in the build tree under share/, as they are installed.
string(TIMESTAMP help_date "%Y-%m-%d" UTC) # or of SOURCE_DATE_EPOCH
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/cli/main/help.c PROPERTIES COMPILE_DEFINITIONS
                            LOCKSTEP_DATE="${help_date}")
set(command_table ${PROJECT_SOURCE_DIR}/src/cli/cli_commands.def)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${command_table})
file(STRINGS ${command_table} command_rows REGEX "^COMMAND\\(")
set(share ${PROJECT_BINARY_DIR}/share)

# The command's output with these words becomes that file.
function(lockstep_write file)
  get_filename_component(folder ${share}/${file} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(OUTPUT ${share}/${file} DEPENDS lockstep_command
                     COMMAND lockstep_command help ${ARGN} >${share}/${file})
  set_property(GLOBAL APPEND PROPERTY LOCKSTEP_HELP_FILES ${share}/${file})
endfunction()

lockstep_write(man/man1/lockstep.1 --man)
lockstep_write(man/man7/lockstep-topics.7 --man topics)
foreach(row IN LISTS command_rows)
  string(REGEX REPLACE "^COMMAND\\(([a-z]+).*" "\\1" name "${row}")
  lockstep_write(man/man1/lockstep-${name}.1 --man ${name})
endforeach()
lockstep_write(bash-completion/completions/lockstep --completion bash)
lockstep_write(zsh/vendor-completions/_lockstep --completion zsh)
lockstep_write(fish/vendor_completions.d/lockstep.fish --completion fish)
get_property(help_files GLOBAL PROPERTY LOCKSTEP_HELP_FILES)
add_custom_target(help_files ALL DEPENDS ${help_files})
install(DIRECTORY ${share}/ DESTINATION ${CMAKE_INSTALL_DATADIR})
