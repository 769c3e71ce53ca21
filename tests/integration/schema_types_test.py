"""PROTO and XSD schemas over HTTP: registered, in force, refused with a JSON pointer for each place (S3.6)."""

import unittest

from registry_case import RegistryCase
from stores import on_every_store

PROTO = """syntax = "proto3";
message Order {
  message Line { string sku = 1; int32 count = 2; }
  string id = 1;
  int32 amount = 2;
  repeated Line lines = 3;
}"""
TWO_MESSAGES = 'syntax = "proto3"; message A { string id = 1; } message B { int32 n = 1; }'
XSD = """<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
  <xs:element name="order"><xs:complexType><xs:sequence>
    <xs:element name="id" type="xs:integer"/>
    <xs:element name="note" type="xs:string" minOccurs="0"/>
  </xs:sequence></xs:complexType></xs:element>
</xs:schema>"""


def version(schema_type, schema, number="1.0", **more):
    return {"version": number, "status": "CURRENT", "schemaType": schema_type, "schema": schema, **more}


@on_every_store
class ProtoSchemas(RegistryCase):
    def setUp(self):
        super().setUp()
        self.made = self.make_type(specVersions=[version("PROTO", PROTO)])

    def test_the_type_shows_its_schema(self):  # S3.5, S3.6
        self.assertEqual([(v["schemaType"], v["schema"]) for v in self.made["specVersions"]], [("PROTO", PROTO)])
        one = self.api.get("/api/schemas/order.created/1.0").json
        self.assertEqual((one["schemaType"], one["schema"], one["describes"]), ("PROTO", PROTO, "data"))

    def test_events_are_the_json_of_the_message(self):  # S3.6
        for data in ({}, {"id": "x", "amount": 5}, {"amount": "5"}, {"lines": [{"sku": "a", "count": 1}, {}]}):
            self.expect(self.publish(data=data), 201)

    def test_what_does_not_fit_is_named_by_a_pointer(self):  # S3.6
        for data, pointer in (({"id": 7}, "/data/id"), ({"amount": "many"}, "/data/amount"),
                              ({"amount": 2 ** 40}, "/data/amount"), ({"nope": 1}, "/data/nope"),
                              ({"lines": [{"sku": "a"}, {"sku": 7}]}, "/data/lines/1/sku"),
                              ({"lines": {}}, "/data/lines"), ("text", "/data"), ([], "/data"), (None, "/data")):
            self.expect(self.publish(data=data), 422, pointer)
        self.assertEqual(self.api.get("/api/events").json["items"], [])

    def test_in_an_array_the_pointer_names_the_event_too(self):  # S3.6
        good, bad = {"type": "order.created", "source": "s", "data": {}}, {"type": "order.created", "source": "s",
                                                                           "data": {"id": 7}}
        self.expect(self.api.post("/api/events", [good, bad]), 422, "[1]/data/id")
        partial = self.api.post("/api/events?partial=true", [good, bad])
        self.assertEqual((partial.status, partial.json["accepted"], partial.json["refused"]), (207, 1, 1))
        self.assertEqual(partial.json["items"][1]["error"]["errors"][0]["field"], "[1]/data/id")

    def test_one_message_of_several_is_named(self):  # S3.6
        refused = self.api.post("/api/event-types", {"code": "a.done", "specVersions": [version("PROTO", TWO_MESSAGES)]})
        self.expect(refused, 422, "specVersions[0].schema")
        self.assertIn('"message"', refused.json["detail"])
        self.make_type("a.done", specVersions=[version("PROTO", TWO_MESSAGES, message="B")])
        self.expect(self.publish(type="a.done", data={"n": 1}), 201)
        self.expect(self.publish(type="a.done", data={"id": "x"}), 422, "/data/id")
        pushed = {"type": "b.done#A", "version": 1, "schemaType": "PROTO", "schema": TWO_MESSAGES}
        self.expect(self.api.post("/api/schemas", [pushed]), 200)
        self.expect(self.publish(type="b.done", data={"n": 1}), 422, "/data/n")

    def test_a_minor_version_must_not_break(self):  # S2.5, S3.6
        path = "/api/event-types/order.created"
        first = version("PROTO", PROTO)
        broken = PROTO.replace("int32 amount", "string amount")
        self.expect(self.patch(path, {"specVersions": [first, version("PROTO", broken, "1.1")]}), 409,
                    "specVersions[1].schema")
        grown = PROTO.replace("string id = 1;\n", "string id = 1; string note = 9;\n")
        self.expect(self.patch(path, {"specVersions": [first, version("PROTO", grown, "1.1")]}), 200)
        self.expect(self.publish(data={"note": "x"}), 201)


@on_every_store
class XsdSchemas(RegistryCase):
    def setUp(self):
        super().setUp()
        self.make_type(specVersions=[version("XSD", XSD)])

    def test_xml_in_a_string_is_checked(self):  # S3.6
        self.expect(self.publish(data="<order><id>7</id></order>"), 201)
        for data in ("<order><id>seven</id></order>", "<order/>", "<order><id>7</id>", "<other/>", "", {"id": 7}, None):
            self.expect(self.publish(data=data), 422, "/data")

    def test_xml_in_a_binary_cloudevent_is_checked(self):  # S3.2, S3.6
        def send(number, xml):
            return self.api.post("/api/events", xml.encode(), headers={
                "Content-Type": "application/xml", "ce-specversion": "1.0", "ce-id": str(number),
                "ce-type": "order.created", "ce-source": "/shop"})

        taken = send(1, "<order><id>7</id><note>ä</note></order>")
        self.expect(taken, 201)
        self.assertEqual(self.api.get(f"/api/events/{taken.json['id']}").json["data"],
                         "<order><id>7</id><note>ä</note></order>")
        self.expect(send(2, "<order><id>x</id></order>"), 422, "/data")

    def test_nothing_is_fetched_or_expanded(self):  # S3.6
        for entity in ('SYSTEM "file:///etc/passwd"', '"7"'):
            xml = f"<!DOCTYPE order [<!ENTITY x {entity}>]><order><id>&x;</id></order>"
            refused = self.publish(data=xml)
            self.expect(refused, 422, "/data")
            self.assertIn("DTD", refused.json["detail"])
        outside = XSD.replace("<xs:element name=\"order\">",
                              '<xs:include schemaLocation="http://127.0.0.1:1/x.xsd"/><xs:element name="order">')
        self.expect(self.api.post("/api/event-types", {"code": "a.done", "specVersions": [version("XSD", outside)]}),
                    422, "specVersions[0].schema")

    def test_a_minor_version_must_not_break(self):  # S2.5, S3.6
        path = "/api/event-types/order.created"
        broken = XSD.replace("xs:integer", "xs:date")
        self.expect(self.patch(path, {"specVersions": [version("XSD", XSD), version("XSD", broken, "1.1")]}), 409,
                    "specVersions[1].schema")


@on_every_store
class AcrossARestart(RegistryCase):
    def test_both_stay_in_force(self):  # S3.6
        server = self.own_server()
        self.api = self.client_of(server)
        self.make_type("order.packed", specVersions=[version("PROTO", PROTO)])
        self.make_type("order.sent", specVersions=[version("XSD", XSD)])
        self.assertEqual(server.stop(), 0)
        server.start()
        self.api = self.client_of(server)
        self.expect(self.publish(type="order.packed", data={"id": 7}), 422, "/data/id")
        self.expect(self.publish(type="order.sent", data="<order/>"), 422, "/data")
        self.expect(self.publish(type="order.sent", data="<order><id>7</id></order>"), 201)


if __name__ == "__main__":
    unittest.main()
