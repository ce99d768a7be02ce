# SPDX-License-Identifier: Apache-2.0
"""An executable form of the PTX memory consistency model (PTX ISA 8) for small programs: from what each
thread did and read in a run it lists the executions that have the same outcome (who read from whom, in
which order fence.sc came), keeps those that the axioms allow, and looks for data races in them.

A run takes one step after the other, so only those of its executions count whose reads and writes do so,
too; what fences and flags order in them is the model's.

It knows nothing of lockstep's own code. Two rules go beyond the ISA (docs/memory-model.md, "More than the
ISA"): a fence's pattern may reach across barriers of the block, and a barrier stands for the fence of an
acquire pattern."""
import itertools

BLOCK, DEVICE = 0, 1
SCOPES = {"cta": BLOCK, "cluster": BLOCK, "gpu": DEVICE, "sys": DEVICE}


class Event:
    """kind: R, W, U (read-modify-write), F (fence), A and L (a barrier: arrives, leaves)."""

    def __init__(self, thread, kind, loc=None, sem="", scope="", value=None, read=None, add=None, reads=True,
                 barrier=None):
        self.thread, self.kind, self.loc, self.sem = thread, kind, loc, sem
        self.scope = SCOPES["sys" if sem == "volatile" else scope or "gpu"]
        self.strong = sem not in ("", "weak")
        self.value, self.read, self.add = value, read, add
        self.reads = reads        # False: a red, whose read is nobody's
        self.barrier = barrier    # its number, of A and L
        self.index = None

    def writes(self):
        return self.kind in "WU"

    def is_read(self):
        return self.kind in "RU"

    def memory(self):
        return self.loc is not None


def closure(rows):
    """rows[i]: bits of those behind i; transitive."""
    n = len(rows)
    rows = list(rows)
    for k in range(n):
        bit, row = 1 << k, rows[k]
        for i in range(n):
            if rows[i] & bit:
                rows[i] |= row
    return rows


class Run:
    """What one run of a program did: events in program order by thread; threads have .block."""

    def __init__(self, blocks, threads):
        self.blocks = blocks
        self.threads = threads
        self.events = [e for t in threads for e in t]
        for k, e in enumerate(self.events):
            e.index = k
        self.n = len(self.events)
        self.po = [0] * self.n
        for t in threads:
            for i, a in enumerate(t):
                for b in t[i + 1:]:
                    self.po[a.index] |= 1 << b.index
        self.bar = [0] * self.n
        for a in self.events:
            for b in self.events:
                if a.kind == "A" and b.kind == "L" and a.barrier == b.barrier and self.same_block(a, b):
                    self.bar[a.index] |= 1 << b.index
        self.near = closure([p | b for p, b in zip(self.po, self.bar)]) # across barriers of the block
        self.strongly = [[self.morally_strong(a, b) for b in self.events] for a in self.events]
        self.releases, self.acquires = self.patterns()

    def same_block(self, a, b):
        return self.blocks[a.thread] == self.blocks[b.thread]

    def includes(self, a, b):
        return a.scope == DEVICE or self.same_block(a, b)

    def morally_strong(self, a, b):
        if a.thread == b.thread:
            return True
        strong = (a.strong or a.kind in "FAL") and (b.strong or b.kind in "FAL")
        return strong and self.includes(a, b) and self.includes(b, a)

    def patterns(self):
        """[(first, write)], [(read, last)]: indices."""
        out, back = [], []
        for w in self.events:
            if not (w.writes() and w.strong):
                continue
            if w.sem in ("release", "acq_rel"):
                out.append((w.index, w.index))
            for a in self.events:
                if a.kind == "F" and a.sem in ("sc", "acq_rel", "release") and self.near[a.index] >> w.index & 1:
                    out.append((a.index, w.index))
                if (a.writes() and a.loc == w.loc and a.sem in ("release", "acq_rel") and
                        self.po[a.index] >> w.index & 1):
                    out.append((a.index, w.index))
        for r in self.events:
            if not (r.is_read() and r.strong and r.reads):
                continue
            if r.sem in ("acquire", "acq_rel"):
                back.append((r.index, r.index))
            for a in self.events:
                fence = a.kind == "L" or (a.kind == "F" and a.sem in ("sc", "acq_rel", "acquire"))
                if fence and self.near[r.index] >> a.index & 1:
                    back.append((r.index, a.index))
                if (a.is_read() and a.reads and a.loc == r.loc and a.sem in ("acquire", "acq_rel") and
                        self.po[r.index] >> a.index & 1):
                    back.append((r.index, a.index))
        return out, back

    # -- executions ----------------------------------------------------------------------------------

    def sources(self):
        """Each way in which reads get the values that they read: {read's index: write's index, or None:
        what was there before}."""
        reads = [e for e in self.events if e.is_read()]
        writes = {}
        for e in self.events:
            if e.writes():
                writes.setdefault(e.loc, []).append(e)
        choices = []
        for r in reads:
            some = [w.index for w in writes.get(r.loc, []) if w is not r and
                    not self.po[r.index] >> w.index & 1 and self.may_give(w, r)]
            if r.read in (0, None):
                some.append(None)
            choices.append(some)
        for pick in itertools.product(*choices):
            rf = {r.index: w for r, w in zip(reads, pick)}
            if self.values_fit(rf, reads) and self.one_each(rf):
                yield rf

    @staticmethod
    def may_give(w, r):
        return r.read is None or w.value is None or w.value == r.read

    def values_fit(self, rf, reads):
        def value(k, depth=0):
            e = self.events[k]
            if e.value is not None:
                return e.value
            if depth > self.n:
                return None
            old = 0 if rf[k] is None else value(rf[k], depth + 1)
            return None if old is None else old + e.add
        for r in reads:
            got = 0 if rf[r.index] is None else value(rf[r.index])
            if got is None or (r.read is not None and got != r.read):
                return False
        return True

    def one_each(self, rf):
        """No two atomic operations that see each other change the same value."""
        taken = {}
        for r, w in rf.items():
            if self.events[r].kind == "U":
                for other in taken.setdefault((self.events[r].loc, w), []):
                    if self.strongly[r][other]:
                        return False
                taken[(self.events[r].loc, w)].append(r)
        return True

    def observation(self, rf):
        obs = [0] * self.n
        for r, w in rf.items():
            if w is not None and self.strongly[w][r]:
                obs[w] |= 1 << r
        # through atomic operations only
        change = True
        while change:
            change = False
            for w in range(self.n):
                more = obs[w]
                for z in range(self.n):
                    if obs[w] >> z & 1 and self.events[z].kind == "U":
                        more |= obs[z]
                if more != obs[w]:
                    obs[w], change = more, True
        return obs

    def base(self, obs, sc):
        rows = [p | b for p, b in zip(self.po, self.bar)]
        for first, w in self.releases:
            for r, last in self.acquires:
                if obs[w] >> r & 1 and self.strongly[first][last]:
                    rows[first] |= 1 << last
        for a, b in sc:
            rows[a] |= 1 << b
        return closure(rows)

    @staticmethod
    def causality(base, obs):
        rows = list(base)
        for x in range(len(base)):
            for z in range(len(base)):
                if obs[x] >> z & 1:
                    rows[x] |= base[z]
        return rows

    def fence_orders(self):
        fences = [e for e in self.events if e.kind == "F" and e.sem == "sc"]
        by_thread = {}
        for f in fences:
            by_thread.setdefault(f.thread, []).append(f)
        for order in interleavings(list(by_thread.values())):
            yield [(a.index, b.index) for i, a in enumerate(order) for b in order[i + 1:]
                   if a.thread != b.thread and self.strongly[a.index][b.index]]

    def one_by_one(self, rf):
        """Some interleaving of the threads lets each read get what it got."""
        arrivals = {}
        for e in self.events:
            if e.kind == "A":
                arrivals.setdefault((self.blocks[e.thread], e.barrier), []).append(e)
        seen, stack = set(), [((0,) * len(self.threads), ())]
        while stack:
            at, last = stack.pop()
            if (at, last) in seen:
                continue
            seen.add((at, last))
            if all(k == len(t) for k, t in zip(at, self.threads)):
                return True
            now = dict(last)
            for n, t in enumerate(self.threads):
                if at[n] == len(t):
                    continue
                e = t[at[n]]
                if e.is_read() and now.get(e.loc) != rf[e.index]:
                    continue
                if e.kind == "L" and any(at[a.thread] <= self.threads[a.thread].index(a) for a in
                                         arrivals[self.blocks[n], e.barrier]):
                    continue
                then = {**now, e.loc: e.index} if e.writes() else now
                stack.append((at[:n] + (at[n] + 1,) + at[n + 1:], tuple(sorted(then.items()))))
        return False

    # -- axioms --------------------------------------------------------------------------------------

    def allowed(self, rf, obs, base, cause, sc):
        if any(cause[k] >> k & 1 for k in range(self.n)) or any(base[b] >> a & 1 for a, b in sc):
            return False
        locations = {e.loc for e in self.events if e.writes()}
        return all(self.coherent(loc, rf, cause) for loc in locations)

    def coherent(self, loc, rf, cause):
        """Some coherence order of the writes there contradicts nothing."""
        writes = [e.index for e in self.events if e.writes() and e.loc == loc]
        reads = [r for r in rf if self.events[r].loc == loc]
        return any(self.coherent_so(order, reads, rf, cause) for order in itertools.permutations(writes))

    def coherent_so(self, order, reads, rf, cause):
        rank = {w: k + 1 for k, w in enumerate(order)}
        rank[None] = 0
        for i, a in enumerate(order):
            for b in order[i + 1:]:
                if cause[b] >> a & 1 or self.po[b] >> a & 1:
                    return False
        for r in reads:
            for w in order:
                if w == r:
                    continue
                after = cause[r] >> w & 1 or self.po[r] >> w & 1
                before = cause[w] >> r & 1 or self.po[w] >> r & 1
                if after and rank[rf[r]] >= rank[w] or before and rank[rf[r]] < rank[w]:
                    return False
                between = rank[rf[r]] < rank[w] < rank.get(r, 0)
                if self.events[r].kind == "U" and between and self.strongly[r][w]:
                    return False
            if self.events[r].kind == "U" and rank[rf[r]] >= rank[r]:
                return False
        return self.sc_per_location(order, rank, reads, rf)

    def sc_per_location(self, order, rank, reads, rf):
        """po-loc, and communication between morally strong accesses, have no cycle."""
        at = list(set(order) | set(reads))
        rows = {a: 0 for a in at}
        for a in at:
            for b in at:
                if a == b:
                    continue
                edge = self.po[a] >> b & 1
                if self.strongly[a][b]:
                    wa, wb = self.events[a].writes(), self.events[b].writes()
                    edge = (edge or (wa and wb and rank[a] < rank[b]) or (b in rf and rf[b] == a) or
                            (a in rf and wb and rank[rf[a]] < rank[b] and a != b))
                if edge:
                    rows[a] |= 1 << b
        full = closure([rows.get(k, 0) for k in range(self.n)])
        return not any(full[a] >> a & 1 for a in at)

    # -- verdicts ------------------------------------------------------------------------------------

    def pairs(self, cause):
        """Conflicting pairs that causality leaves unordered."""
        for a in self.events:
            for b in self.events[a.index + 1:]:
                if (a.memory() and b.memory() and a.loc == b.loc and a.thread != b.thread and
                        (a.writes() or b.writes()) and
                        not (cause[a.index] >> b.index & 1 or cause[b.index] >> a.index & 1)):
                    yield a, b

    def fenced(self, a, b):
        """A write behind a fence that counts for the other's thread."""
        return not a.writes() or any(f.kind == "F" and f.sem in ("sc", "acq_rel", "release") and
                                     self.near[f.index] >> a.index & 1 and self.includes(f, b)
                                     for f in self.events)

    def handed(self, a, b, obs, base):
        """b comes behind a read that saw what was handed on after a, with or without a fence."""
        for first, w in self.releases:
            if not (base[a.index] >> first & 1 or a.index == first):
                continue
            for r in range(self.n):
                if (obs[w] >> r & 1 and self.events[r].reads and
                        (self.near[r] >> b.index & 1) and self.includes(self.events[first], b)):
                    return True
        return False

    def alone(self, a, b):
        """There are no other accesses of the two's place."""
        return not any(e.loc == a.loc and e is not a and e is not b for e in self.events if e.memory())

    def judge(self, obs, base, cause):
        race, loose = None, None
        for a, b in self.pairs(cause):
            if not self.strongly[a.index][b.index]:
                race = race or (a, b)
            elif ("volatile" in (a.sem, b.sem) and not (self.fenced(a, b) and self.fenced(b, a)) and
                  not self.handed(a, b, obs, base) and not self.handed(b, a, obs, base)):
                loose = (a, b) if not loose or self.alone(a, b) else loose
        return race, loose

    def judge_sources(self, rf, fences):
        """(a data race, a race of volatile accesses): pairs of events, or None; some order of fence.sc that
        the axioms allow has it. fences: that order counts."""
        obs = self.observation(rf)
        base = self.base(obs, [])
        race = loose = None
        first = self.judge(obs, base, self.causality(base, obs))
        if not fences or first == (None, None):
            return first
        for sc in self.fence_orders():
            base = self.base(obs, sc)
            cause = self.causality(base, obs)
            found = self.judge(obs, base, cause)
            if ((found[0] and not race) or (found[1] and not loose)) and self.allowed(rf, obs, base, cause, sc):
                race, loose = race or found[0], loose or found[1]
            if bool(race) == bool(first[0]) and bool(loose) == bool(first[1]):
                break
        return race, loose

    def verdicts(self, fences=True):
        """The same for each way in which the reads may have got what they read. Mostly there is one."""
        return [self.judge_sources(rf, fences) for rf in self.sources() if self.one_by_one(rf)]


def interleavings(lists):
    lists = [x for x in lists if x]
    if not lists:
        yield []
        return
    for k, x in enumerate(lists):
        rest = lists[:k] + [x[1:]] + lists[k + 1:]
        for tail in interleavings(rest):
            yield [x[0]] + tail
