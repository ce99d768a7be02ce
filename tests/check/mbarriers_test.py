# SPDX-License-Identifier: Apache-2.0
"""mbarriers.cu under `lockstep check`: every bad_ kernel is reported with its kind, and no good_ one; what ends the
device says what was expected and what has come, and whose parity is wrong."""
import sys

import watched

wanted = {(kernel, "mbarrier-misuse"): words for kernel, words in {
    "bad_init_none": "for 0 arrivals",
    "bad_init_many": "for 1048576 arrivals",
    "bad_again_pending": "while a phase is pending: 96 of 128 arrivals",
    "bad_after_inval": "is used after mbarrier.inval",
    "bad_copy_after_inval": "is used after mbarrier.inval",
    "bad_overwritten": "something else has written there",
    "bad_no_init": "no mbarrier.init has made it",
    "bad_arrivals": "gets 3 more arrivals, where a phase still lacks 2 of 2",
    "bad_bytes_range": "expect 1048576 bytes",
    "bad_bytes_arrival": "gets 1 more arrivals, where a phase still lacks 0 of 1 and waits for bytes",
    "bad_bytes_less": "has got 128 bytes more than the phase expects",
    "bad_bytes_more": "still expects 256 bytes",
    "bad_bytes_none": "has got 256 bytes that it was not told to expect",
}.items()} | {
    ("bad_groups_early", "shared-race"): "nothing orders them",
    ("bad_load_in_group", "shared-race"): "nobody has waited for the copy",
    ("bad_other_parity", "shared-race"): "nothing orders them",
    ("bad_rounds", "shared-race"): "nobody has waited for the copy",
    ("bad_refill", "shared-race"): "nothing orders them",
    ("bad_leaves", "peer-lifetime"): "nothing keeps it from having ended",
    ("bad_leaves_boxes", "peer-lifetime"): "nothing keeps it from having ended",
}
findings, done = watched.run("mbarriers.cu")
found = {(f["kernel"], f["kind"]): f for f in findings}
if set(found) != set(wanted) or len(findings) != len(wanted):
    sys.exit("too much: %s\nmissing: %s\n%s" % (set(found) - set(wanted), set(wanted) - set(found), done.stdout))
for key, words in wanted.items():
    if words not in found[key]["message"]:
        sys.exit("%s: %s" % (key, found[key]["message"]))
if "those of this warp have passed on phases before it" not in found["bad_rounds", "shared-race"]["missing"]:
    sys.exit("bad_rounds: " + found["bad_rounds", "shared-race"]["missing"])
for word, said in (("bytes", ("128 bytes more have come than were expected", "128 bytes more than the phase")),
                   ("parity", ("1 of 1 arrivals are missing", "has not asked for the one of parity 0"))):
    findings, done = watched.run("mbarriers.cu", "1", word)
    messages = {f["kind"]: f["message"] for f in findings}
    if said[0] not in messages.get("barrier-deadlock", "") or said[1] not in messages.get("mbarrier-misuse", ""):
        sys.exit("%s: %s\n%s" % (word, messages, done.stdout + done.stderr))
for word in ("init", "others"): # the deadlock, and no word of what the mbarrier was before, or in another block
    findings, done = watched.run("mbarriers.cu", "1", word)
    if [f["kind"] for f in findings] != ["barrier-deadlock"]:
        sys.exit("%s: %s\n%s" % (word, findings, done.stdout + done.stderr))
