# SPDX-License-Identifier: Apache-2.0
# The Python package in the build tree (PYTHONPATH=build/python): the sources, with what tells Triton of its backend.
# The wheel is tools/wheel.py's.
set(python_folder ${PROJECT_BINARY_DIR}/python)
set(dist_info ${python_folder}/lockstep-${PROJECT_VERSION}.dist-info)
file(MAKE_DIRECTORY ${dist_info})
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/python/lockstep ${python_folder}/lockstep SYMBOLIC)
file(WRITE ${dist_info}/METADATA "Metadata-Version: 2.1\nName: lockstep\nVersion: ${PROJECT_VERSION}\n")
file(WRITE ${dist_info}/entry_points.txt "[triton.backends]\nlockstep = lockstep.triton\n")
