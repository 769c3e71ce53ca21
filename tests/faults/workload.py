"""Clients that use the queue as real ones do, and note every answer in the journal."""

import random
import threading

from client import Client, NoAnswer

TAGS = "blue,green"
# What the server answers where it can't: nothing was promised, the client tries again.
REFUSALS = (429, 503)


class Workload:
    """Producers and workers against whichever of `ports` answers, until stop()."""

    def __init__(self, journal, ports, seed, producers=3, workers=5, patience=10):
        self.journal = journal
        self.ports = ports
        self.patience = patience
        self.stopping = threading.Event()
        self.producing = threading.Event()
        self.producing.set()
        roles = [Producer(self, f"p{i}/{seed}", random.Random(f"{seed}/p{i}")) for i in range(producers)]
        roles += [Worker(self, f"host-{i}:{seed % 10000}", random.Random(f"{seed}/w{i}")) for i in range(workers)]
        self._threads = [threading.Thread(target=role.run, name=role.name, daemon=True) for role in roles]

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        self.stopping.set()
        for thread in self._threads:
            thread.join(60)
            if thread.is_alive():
                self.journal.note_surprise(f"client {thread.name} is stuck")

    def stop_producing(self):
        self.producing.clear()


class Role:
    def __init__(self, load, name, chance):
        self.load, self.name, self.chance = load, name, chance
        self.journal = load.journal
        self._at = 0
        self.client = Client(load.ports[0], load.patience)

    def run(self):
        try:
            while not self.load.stopping.is_set():
                self.step()
        except Exception as error:  # a thread's death must fail the test, not hide
            self.journal.note_surprise(f"client {self.name} failed: {error!r}")
        finally:
            self.client.close()

    def once(self, method, target, body=None):
        """One try: the answer, or None where nothing was promised."""
        try:
            answer = self.client.request(method, target, body)
        except NoAnswer:
            self._turn_to_next()
            return None
        if answer.status in REFUSALS:
            self._turn_to_next()
            return None
        return answer

    def until_answered(self, method, target, body=None):
        """Tries until somebody answers; None if the run ends first."""
        while not self.load.stopping.is_set():
            answer = self.once(method, target, body)
            if answer is not None:
                return answer
        return None

    def _turn_to_next(self):
        self._at += 1
        self.client.close()
        self.client = Client(self.load.ports[self._at % len(self.load.ports)], self.load.patience)
        self.load.stopping.wait(0.02)

    def surprise(self, what, answer):
        self.journal.note_surprise(f"{self.name}: {what} answered {answer.status} {answer.body}")


class Producer(Role):
    def __init__(self, *arguments):
        super().__init__(*arguments)
        self._number = 0

    def step(self):
        if not self.load.producing.is_set():
            self.load.stopping.wait(0.05)
            return
        kind = self.chance.random()
        if kind < 0.4:
            self._create_once()
        elif kind < 0.8:
            self._create_surely()
        else:
            self._create_many()

    def _item(self):
        self._number += 1
        title = f"{self.name}-{self._number}"
        self.journal.note_sent(title)
        return {"title": title, "tags": self.chance.choice(("blue", "green", "blue,green")),
                "payload": {"text": "x" * self.chance.randrange(600)}, "max_retries": 5,
                "backoff": {"kind": "fixed", "seconds": self.chance.choice((0, 0.05))}}

    def _create_once(self):
        item = self._item()
        answer = self.once("POST", "/events", item)
        self._note([item], answer and answer._replace(body=[answer.body]))

    # With an idempotency key a client may ask again until it is told; there must be one item in the end.
    def _create_surely(self):
        item = self._item()
        item["idempotency_key"] = item["title"]
        answer = self.until_answered("POST", "/events", item)
        self._note([item], answer and answer._replace(body=[answer.body]), allowed=(200, 201))

    def _create_many(self):
        items = [self._item() for _ in range(self.chance.randrange(2, 12))]
        self._note(items, self.once("POST", "/events", items))

    def _note(self, items, answer, allowed=(201,)):
        if answer is None:
            return
        if answer.status not in allowed:
            self.surprise("create", answer)
            return
        for item, made in zip(items, answer.body, strict=True):
            self.journal.note_created(item["title"], made["id"])


class Worker(Role):
    def step(self):
        target = f"/events/subscribe?tags={TAGS}&worker_id={self.name}&limit={self.chance.choice((1, 4))}&wait=1"
        answer = self.once("GET", target)
        if answer is None or answer.status == 204:
            return
        if answer.status != 200:
            self.surprise("subscribe", answer)
            return
        claims = [self.journal.note_claimed(self.name, event) for event in answer.body]
        if self.chance.random() < 0.3:
            self._settle_together(claims)
        else:
            for claim in claims:
                self._work(claim)

    def _work(self, claim):
        kind = self.chance.random()
        if kind < 0.04:
            return  # dies at work; the lease runs out
        if kind < 0.15:
            self._extend(claim)
        self._settle(claim, "fail" if kind > 0.85 else "complete")
        if kind > 0.95 or kind < 0.1:
            self._settle(claim, "fail" if kind > 0.85 else "complete")  # S4.7: the repeat is answered the same

    def _extend(self, claim):
        call = self.chance.choice(("start", "heartbeat"))
        answer = self.once("POST", f"/events/{claim.item}/{call}", _holder(claim))
        if answer is not None and answer.status == 200:
            self.journal.note_extended(claim, answer.body["lease_until"])
        elif answer is not None and answer.status != 409:
            self.surprise(call, answer)

    def _settle(self, claim, action):
        answer = self.until_answered("POST", f"/events/{claim.item}/{action}",
                                     {**_holder(claim), "execution_time_ms": 3, "status_code": 200})
        if answer is not None:
            self._note(claim, action, answer.status, answer)

    def _settle_together(self, claims):
        actions = [self.chance.choice(("complete", "complete", "fail")) for _ in claims]
        body = [{"id": claim.item, "action": action, **_holder(claim)}
                for claim, action in zip(claims, actions, strict=True)]
        answer = self.until_answered("POST", "/events/settle", body)
        if answer is None:
            return
        if answer.status != 200:
            self.surprise("settle", answer)
            return
        for claim, action, result in zip(claims, actions, answer.body["results"], strict=True):
            self._note(claim, action, result["status"], answer)

    def _note(self, claim, action, status, answer):
        if status == 200:
            self.journal.note_outcome(claim, "COMPLETED" if action == "complete" else "FAILED")
        elif status == 400 and action == "fail":
            self.journal.note_outcome(claim, "FAILED", final=True)
        elif status == 409:
            self.journal.note_refused(claim)  # the lease ran out while nobody answered
        else:
            self.surprise(action, answer)


def _holder(claim):
    return {"worker_id": claim.worker, "lease_token": claim.token}


def unfinished(client):
    """Items that are neither completed nor failed for good; None where nobody can say."""
    try:
        answer = client.get("/api/queue/stats")
    except NoAnswer:
        return None
    return answer.body["PENDING"] + answer.body["PROCESSING"] if answer.status == 200 else None
