// Sends events with the official SDK and parses with it what the server answers. One line of JSON a comparison.
const assert = require("node:assert");
const { CloudEvent, HTTP } = require("cloudevents");

const base = `http://127.0.0.1:${process.argv[2]}`;

function event(id, more) {
  return new CloudEvent({
    id, type: "com.example.order.created", source: "/shop/orders", subject: "order/1",
    time: "2026-01-02T03:04:05.678Z", dataschema: "https://example.com/order.json",
    datacontenttype: "application/json", data: { amount: 99.99, lines: [{ sku: "a" }], none: null },
    tenantish: "blue", retries: 3, urgent: true, ...more,
  });
}

async function post(message) {
  const answer = await fetch(`${base}/api/events`, { method: "POST", headers: message.headers, body: message.body });
  const text = await answer.text();
  assert.equal(answer.status, 201, text);
  return JSON.parse(text);
}

// As a consumer with the SDK would read it.
async function read(id) {
  const answer = await fetch(`${base}/api/events/${id}`, { headers: { Accept: "application/cloudevents+json" } });
  assert.equal(answer.status, 200);
  return HTTP.toEvent({ headers: Object.fromEntries(answer.headers), body: await answer.text() });
}

// Everything the sender said is there and means the same; extensions of our own may be added.
function same(sent, got) {
  for (const [name, value] of Object.entries(sent.toJSON())) {
    if (name === "time") {
      assert.equal(new Date(got.time).getTime(), new Date(value).getTime(), name);
    } else {
      assert.deepEqual(got.toJSON()[name], value, name);
    }
  }
  got.validate();
}

const comparisons = {
  async structured() {
    const sent = event("s-1");
    await post(HTTP.structured(sent));
    same(sent, await read("s-1"));
  },
  async binary() {
    const sent = event("b-1");
    await post(HTTP.binary(sent));
    const got = await read("b-1");
    // In binary mode every attribute is a text.
    same(sent.cloneWith({ retries: "3", urgent: "true" }), got.cloneWith({ retries: String(got.retries), urgent: String(got.urgent) }));
  },
  async batch() {
    const sent = [event("m-1"), event("m-2", { data: "text", datacontenttype: "text/plain" })];
    const answer = await post({ headers: { "content-type": "application/cloudevents-batch+json" }, body: JSON.stringify(sent) });
    assert.equal(answer.accepted, 2);
    same(sent[0], await read("m-1"));
    same(sent[1], await read("m-2"));
  },
  async text_in_binary_mode() {
    const sent = event("t-1", { data: "plain words", datacontenttype: "text/plain" });
    await post(HTTP.binary(sent));
    assert.equal((await read("t-1")).data, "plain words");
  },
  async bytes() {
    const bytes = Buffer.from([0, 255, 1, 254, 128]);
    const sent = event("d-1", { data: bytes, datacontenttype: "application/octet-stream" });
    await post(HTTP.structured(sent));
    assert.deepEqual(Buffer.from((await read("d-1")).data), bytes);
    await post({ headers: { ...HTTP.binary(event("d-2")).headers, "content-type": "application/octet-stream" }, body: bytes });
    assert.deepEqual(Buffer.from((await read("d-2")).data), bytes);
  },
  async no_data() {
    const sent = new CloudEvent({ id: "n-1", type: "t", source: "/s" });
    await post(HTTP.structured(sent));
    assert.equal((await read("n-1")).data, undefined);
  },
  async stream() {
    const answer = await fetch(`${base}/api/events/tail?from=1&format=cloudevents`);
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    while (text.split("\ndata: ").length < 4) text += (await reader.read()).value;
    await reader.cancel();
    const line = text.split("\n").find((each) => each.startsWith("data: "));
    const got = HTTP.toEvent({ headers: { "content-type": "application/cloudevents+json" }, body: line.slice(6) });
    got.validate();
    assert.equal(got.id, "s-1");
  },
};

(async () => {
  for (const [name, compare] of Object.entries(comparisons)) {
    let why = null;
    try {
      await compare();
    } catch (error) {
      why = String(error.stack);
    }
    console.log(JSON.stringify({ name, why }));
  }
})();
