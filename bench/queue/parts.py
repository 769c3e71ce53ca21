"""What is measured of the queue. Each function takes a Bed with an empty store and adds rows."""

import json
import urllib.request

from bed import median

CONNECTIONS = 64
BARE_GROUPS = (100, 400, 1600)
# Rates are ratios to the no-ops around them: on a shared machine they move together, within seconds.
AIMS = {
    "embedded": {"create": 0.6, "three-step": 0.18, "two-step": 0.27, "bulk": 0.6},
    "postgres": {"create": 0.35, "bulk": 0.6},
}
NAMES = {
    "create": "(a) single create",
    "three-step": "(b) create, claim, complete",
    "two-step": "(b) create, settle with claim",
}


def measure_rates(bed, out, rounds, seconds):
    """(a), (b): items a second, and their ratio to the no-op right before and after."""
    reports = {name: [] for name in NAMES}
    ratios = {name: [] for name in NAMES}
    noops = []
    for _ in range(rounds):
        for name, found in reports.items():
            bed.settle()  # each pays for its own flushes and merges, not for those of the one before
            before = _noop(bed, seconds)
            found.append(bed.load(name, connections=CONNECTIONS, seconds=seconds, warmup=0.5))
            noop = (before + _noop(bed, seconds)) / 2
            noops.append(noop)
            ratios[name].append(found[-1]["items_per_s"] / noop)
            bed.load("drain", batch=100, connections=8)  # a life cycle claims what it made, not what others left
    out.add(bed.store, "no-op POST /api/ping, 940 bytes", median(noops), "requests/s")
    for name, label in NAMES.items():
        rates = [report["items_per_s"] for report in reports[name]]
        out.add(bed.store, label, median(rates), "items/s")
        out.add(bed.store, f"{label}, to the no-op", median(ratios[name]), "ratio", least=AIMS[bed.store].get(name))
        _add_latencies(bed, out, label, reports[name][-1])


def _noop(bed, seconds):
    return bed.load("ping", connections=CONNECTIONS, seconds=seconds / 4, warmup=0.2)["requests_per_s"]


def _add_latencies(bed, out, label, report):
    for step, latency in report["steps"].items():
        out.add(bed.store, f"{label}: {step} p50", latency["p50_us"] / 1000, "ms")
        out.add(bed.store, f"{label}: {step} p99", latency["p99_us"] / 1000, "ms")


def measure_bulk(bed, out, rounds, seconds):
    """(c): arrays of a hundred, to the group size that suits the bare store best. Server and bare stores take turns, each
    for as long and with what its last turn left: a store that starts empty can put off its flushes and merges for
    longer than a short run lasts."""
    reports = []
    bare = {group: [] for group in BARE_GROUPS}
    for _ in range(rounds):
        reports.append(bed.load("bulk", connections=CONNECTIONS, seconds=seconds))
        bed.settle()  # what it put off is not to slow down the store beside it
        for group, rates in bare.items():
            rates.append(bed.bare(seconds, group))
    bulk = median([report["items_per_s"] for report in reports])
    label = "(c) bulk lifecycle in hundreds"
    out.add(bed.store, label, bulk, "items/s")
    _add_latencies(bed, out, label, reports[-1])
    for group, rates in bare.items():
        out.add(bed.store, f"(c) bare store, the same records in groups of {group}", median(rates), "items/s")
    best = max(median(rates) for rates in bare.values())
    out.add(bed.store, "(c) bulk lifecycle, to the best bare store", bulk / best, "ratio",
            least=AIMS[bed.store]["bulk"])


def measure_wake(bed, out, count):
    """(f): from the publisher's first byte to the answer of the long poll, nothing else going on."""
    wake = bed.load("wake", count=count)["steps"]["wake"]
    out.add(bed.store, "(f) long poll woken, p50", wake["p50_us"] / 1000, "ms")
    out.add(bed.store, "(f) long poll woken, p99", wake["p99_us"] / 1000, "ms")


def measure_waiting(bed, out, sizes, seconds):
    """(d), (e), (g): claims (S4.14), memory and starts with ever more items waiting."""
    empty = bed.resident_bytes()
    claims, resident, waiting = {}, {}, 0
    for size in sizes:
        filled = bed.load("fill", count=size - waiting, batch=1000, connections=8, lanes=16)
        waiting = size
        out.add(bed.store, f"fill to {size:,} waiting, arrays of 1,000", filled["items_per_s"], "items/s")
        bed.settle()
        claims[size] = _claim(bed, out, f"{size:,} waiting", seconds)
        resident[size] = bed.resident_bytes()
        out.add(bed.store, f"(e) resident with {size:,} waiting", resident[size] / 2**20, "MiB")
    first, last = sizes[0], sizes[-1]
    out.add(bed.store, f"(d) claim p99, {last:,} to {first:,} waiting", claims[last] / claims[first], "ratio", most=1.5)
    _tell_memory(bed, out, resident, sizes)
    _measure_starts(bed, out, last, empty)


def _claim(bed, out, among, seconds):
    """p99 of a claim in milliseconds. Each claimed item is completed and replaced by a new one."""
    step = bed.load("three-step", connections=8, seconds=seconds, warmup=1, lanes=16)["steps"]["claim"]
    out.add(bed.store, f"(d) claim with {among}, p50", step["p50_us"] / 1000, "ms")
    out.add(bed.store, f"(d) claim with {among}, p99", step["p99_us"] / 1000, "ms")
    return step["p99_us"] / 1000


def _tell_memory(bed, out, resident, sizes):
    """Between the two largest sizes: there the store's caches are full at both ends, so they cancel out."""
    if len(sizes) < 2:
        return
    below, above = sizes[-2], sizes[-1]
    slope = (resident[above] - resident[below]) / (above - below)
    out.add(bed.store, f"(e) resident an item, from {below:,} to {above:,}", slope, "bytes",
            most=120 if above >= 10**7 else None)


def _measure_starts(bed, out, size, empty):
    millions = size / 1e6
    for kill, how in ((True, "kill -9"), (False, "a clean stop")):
        seconds = bed.restart(kill)
        out.add(bed.store, f"(g) ready after {how} with {size:,} waiting", seconds, "s",
                most=2.0 if size == 10**6 else None)
        out.add(bed.store, f"(g) ready after {how}, a million", seconds / millions, "s")
    grown = bed.resident_bytes() - empty
    out.add(bed.store, f"(e) resident an item after a start with {size:,}", grown / size, "bytes")


def measure_drain(bed, out, size, seconds, rounds):
    """(d): one item a request until nothing is left (or for so many seconds, if given); many against a thousand, once
    on an empty store, which never has to flush, and again and again for as long as that matters."""
    reports = []
    for _ in range(rounds):
        bed.load("fill", count=1000, batch=1000, connections=1, lanes=16)
        reports.append(bed.load("drain", batch=1, connections=CONNECTIONS))
    fresh = median([report["items_per_s"] for report in reports[:21]])
    few = sum(report["items"] for report in reports) / sum(report["seconds"] for report in reports)
    out.add(bed.store, "(d) drain a thousand, empty store", fresh, "items/s")
    out.add(bed.store, f"(d) drain a thousand, {rounds} times", few, "items/s")
    bed.load("fill", count=size, batch=1000, connections=8, lanes=16)
    bed.settle()
    limit = {"seconds": seconds} if seconds else {}
    many = bed.load("drain", batch=1, connections=CONNECTIONS, **limit)["items_per_s"]
    out.add(bed.store, f"(d) drain {size:,}", many, "items/s")
    out.add(bed.store, f"(d) drain {size:,} to a thousand, empty store", many / fresh, "ratio")
    out.add(bed.store, f"(d) drain {size:,} to a thousand, {rounds} times", many / few, "ratio", least=0.9)


def measure_others(bed, out, count, seconds):
    """S4.14: claims beside items that have other tags, each its own, and beside finished ones. S4.15: while these go."""
    bed.load("fill", count=1000, batch=1000, connections=1)
    alone = _claim(bed, out, "1,000 waiting", seconds)
    _fill_with_own_tags(bed, count // 10)
    beside = _claim(bed, out, f"1,000 waiting beside {count // 10:,} with tags of their own", seconds)
    out.add(bed.store, "(d) claim p99, beside other tags to alone", beside / alone, "ratio", most=1.5)
    bed.load("fill", count=count, batch=1000, connections=8)
    bed.load("drain", batch=100, connections=8)
    bed.load("fill", count=1000, batch=1000, connections=1)
    bed.settle()
    beside = _claim(bed, out, f"1,000 waiting beside {count:,} finished", seconds)
    out.add(bed.store, "(d) claim p99, beside finished items to alone", beside / alone, "ratio", most=1.5)
    _measure_expiry(bed, out, seconds)


def _measure_expiry(bed, out, seconds):
    rates = {}
    for retention, name in (("30d", "that are kept"), ("1s", "that go")):
        bed.restart(kill=False, options=("--queue-retention", retention))
        report = bed.load("three-step", connections=8, seconds=seconds)
        rates[retention] = report["items_per_s"]
        out.add(bed.store, f"create, claim, complete beside finished items {name}", rates[retention], "items/s")
        out.add(bed.store, f"claim beside finished items {name}, p99", report["steps"]["claim"]["p99_us"] / 1000, "ms")
    out.add(bed.store, "create, claim, complete while finished items go", rates["1s"] / rates["30d"], "ratio")


def _fill_with_own_tags(bed, count):
    for first in range(0, count, 1000):
        items = [{"title": "of another kind", "tags": f"own-{number}"} for number in range(first, first + 1000)]
        request = urllib.request.Request(f"http://127.0.0.1:{bed.server.port}/events", json.dumps(items).encode(),
                                         {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            answer.read()
