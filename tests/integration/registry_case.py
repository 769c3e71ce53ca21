"""What the cases about event types, schemas and rules share."""

from stores import Case

ORDER = {"type": "object", "required": ["id"], "properties": {"id": {"type": "integer"}, "note": {"type": "string"}}}


def spec(version="1.0", schema=None, status="CURRENT", **more):
    return {"version": version, "schema": ORDER if schema is None else schema, "status": status, **more}


class RegistryCase(Case):
    def put(self, path, body, **headers):
        return self.api.request("PUT", path, body, headers={k.replace("_", "-"): v for k, v in headers.items()})

    def patch(self, path, body, **headers):
        return self.api.request("PATCH", path, body, headers={k.replace("_", "-"): v for k, v in headers.items()})

    def delete(self, path, **headers):
        return self.api.request("DELETE", path, headers={k.replace("_", "-"): v for k, v in headers.items()})

    def make_type(self, code="order.created", **fields):
        fields.setdefault("specVersions", [spec()])
        answer = self.api.post("/api/event-types", {"code": code, **fields})
        self.assertEqual(answer.status, 201, answer.json)
        return answer.json

    def publish(self, **fields):
        event = {"type": "order.created", "source": "shop", "data": {"id": 1}, **fields}
        return self.api.post("/api/events", event)

    def expect(self, answer, status, field=None):
        self.assertEqual(answer.status, status, answer.body)
        if field is not None:
            self.assertIn(field, [error["field"] for error in answer.json["errors"]], answer.json)
        if status >= 400:
            self.assertEqual(answer.headers["Content-Type"], "application/problem+json")
