"""Compares what the server has with what it promised. Knows the contract (S4), not the server."""

from typing import NamedTuple

STATUSES = ("PENDING", "PROCESSING", "COMPLETED", "FAILED", "CANCELLED")
ENDINGS = ("COMPLETED", "FAILED", "TIMED_OUT", "RESET", "RELEASED", "CANCELLED")


class Try(NamedTuple):
    """One lease as the log tells it."""

    worker: str
    picked_at: str
    ended: str  # the action that ended it; "" while it lasts
    ended_at: str


def read_all(client):
    """Every item with its log, and the counts. Only meaningful while nothing changes."""
    items, cursor = [], None
    while True:
        page = _expect(client, "/events?limit=1000" + (f"&cursor={cursor}" if cursor else ""))
        items += page["events"]
        cursor = page.get("next_cursor")
        if not cursor:
            break
    whole = [_expect(client, f"/events/{item['id']}?include_logs=true") for item in items]
    return whole, _expect(client, "/api/queue/stats")


def _expect(client, target):
    answer = client.get(target)
    if answer.status != 200:
        raise AssertionError(f"GET {target} answered {answer.status} {answer.body}")
    return answer.body


def tries_of(item):
    """The item's leases in order, and what is wrong with the order of its log."""
    tries, wrong, held, done = [], [], False, False
    for entry in item["logs"]:
        action, worker = entry["action"], entry["worker_id"]
        if done:
            wrong.append(f"{action} after its end")
        if action == "PICKED":
            if held:
                wrong.append(f"leased to {worker} while {tries[-1].worker} held it")
            tries.append(Try(worker, entry["created_at"], "", ""))
            held = True
        elif action in ENDINGS:
            if not held and action not in ("RESET", "CANCELLED"):
                wrong.append(f"{action} without a lease")
            elif held and action in ("COMPLETED", "FAILED") and tries[-1].worker != worker:
                wrong.append(f"{action} by {worker} while {tries[-1].worker} held it")
            if held:
                tries[-1] = tries[-1]._replace(ended=action, ended_at=entry["created_at"])
            held = False
        done = done or action == "COMPLETED"
    return tries, wrong


def audit(journal, items, counts):
    """Violations as sentences; empty if every promise holds."""
    by_id = {item["id"]: item for item in items}
    tries = {}
    found = list(journal.surprises)
    if len(by_id) != len(items):
        found.append("an id is listed twice")
    for item in items:
        tries[item["id"]], wrong = tries_of(item)
        found += [f"item {item['id']}: {what}" for what in wrong]
        found += _check_item(item, tries[item["id"]])
    found += _check_created(journal, items, by_id)
    found += _check_claims(journal, tries)
    found += _check_outcomes(journal, by_id, tries)
    found += _check_counts(items, counts)
    return found


def _check_item(item, tries):
    failed = sum(one.ended in ("FAILED", "TIMED_OUT") for one in tries)
    resets = any(entry["action"] == "RESET" for entry in item["logs"])
    if not resets and failed != item["retry_count"]:
        yield f"item {item['id']}: retry_count {item['retry_count']} but {failed} failed tries in its log"
    completed = bool(tries) and tries[-1].ended == "COMPLETED"
    if completed != (item["status"] == "COMPLETED"):
        yield f"item {item['id']}: is {item['status']}, its log ends with {tries[-1].ended if tries else 'nothing'}"


def _check_created(journal, items, by_id):
    for title, item in journal.created.items():
        if item not in by_id:
            yield f"lost: item {item} ({title}) was acknowledged and is not there"
        elif by_id[item]["title"] != title:
            yield f"item {item} was acknowledged as {title} and is {by_id[item]['title']}"
    seen = {}
    for item in items:
        title = item["title"]
        if title in seen:
            yield f"duplicated: {title} is item {seen[title]} and item {item['id']}"
        seen[title] = item["id"]
        if title not in journal.sent:
            yield f"item {item['id']} ({title}) was never sent"


def _check_claims(journal, tries):
    tokens, attempts = {}, {}
    for claim in journal.claims:
        where = (claim.item, claim.attempt)
        if tokens.setdefault(claim.token, where) != where or attempts.setdefault(where, claim) != claim:
            yield f"item {claim.item}: attempt {claim.attempt} was leased twice"
        leases = tries.get(claim.item, [])
        if claim.attempt > len(leases):
            yield f"lost: item {claim.item} has no attempt {claim.attempt}, which {claim.worker} was given"
            continue
        one = leases[claim.attempt - 1]
        if one.worker != claim.worker:
            yield f"item {claim.item}: attempt {claim.attempt} is {one.worker}'s, but {claim.worker} was given it"
        until = max(claim.lease_until, journal.extended.get(where, ""))
        if one.ended == "TIMED_OUT" and one.ended_at < until:
            yield f"item {claim.item}: attempt {claim.attempt} timed out at {one.ended_at}, leased until {until}"


def _check_outcomes(journal, by_id, tries):
    for outcome in set(journal.outcomes):
        leases = tries.get(outcome.item, [])
        one = leases[outcome.attempt - 1] if outcome.attempt <= len(leases) else None
        if one is None or one.ended != outcome.action or one.worker != outcome.worker:
            yield f"lost: {outcome.action} of item {outcome.item}, attempt {outcome.attempt}, by {outcome.worker}"
        elif outcome.final and by_id[outcome.item]["status"] != "FAILED":
            yield f"item {outcome.item} had failed for good and is {by_id[outcome.item]['status']}"
    settled = {(outcome.item, outcome.attempt) for outcome in journal.outcomes}
    for item, attempt in journal.refused_stale:
        leases = tries.get(item, [])
        ended = leases[attempt - 1].ended if attempt <= len(leases) else ""
        if (item, attempt) not in settled and ended in ("COMPLETED", "FAILED"):
            yield f"item {item}: attempt {attempt} was refused with 409 and is {ended} all the same"


def _check_counts(items, counts):
    for status in STATUSES:
        listed = sum(item["status"] == status for item in items)
        if counts[status] != listed:
            yield f"stats say {counts[status]} {status}, the listing has {listed}"
    if counts["total"] != len(items):
        yield f"stats say {counts['total']} items, the listing has {len(items)}"
