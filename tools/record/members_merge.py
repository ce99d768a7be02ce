# SPDX-License-Identifier: Apache-2.0
"""members_merge.py --metrics: what to ask ncu for. members_merge.py RAW.csv: one row a kernel of members.cu."""
import csv, sys

COLUMNS = {
    "global_load_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "global_load_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "global_store_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "global_store_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "shared_load_requests": "smsp__inst_executed_op_shared_ld.sum",
    "shared_store_requests": "smsp__inst_executed_op_shared_st.sum",
    "local_load_requests": "l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum",
    "local_store_requests": "l1tex__t_requests_pipe_lsu_mem_local_op_st.sum",
}
if sys.argv[1] == "--metrics":
    print(",".join(COLUMNS.values()))
    sys.exit()
out = csv.writer(sys.stdout, lineterminator="\n")
out.writerow(["kernel", *COLUMNS])
with open(sys.argv[1]) as f:
    for row in csv.DictReader(line for line in f if line.startswith('"')):
        if row["ID"]:
            out.writerow([row["Kernel Name"].split("(")[0], *(int(float(row[m])) for m in COLUMNS.values())])
