// S3.6: XSD
#include "registry/xsd_schema.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <thread>

#include "json/parse.h"
#include "registry/bounds.h"

namespace millrace::registry {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string schema_of(std::string_view body) {
  return fmt::format(R"(<?xml version="1.0"?>
<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">{}</xs:schema>)",
                     body);
}

const std::string kOrder = schema_of(R"(
  <xs:element name="order"><xs:complexType><xs:sequence>
    <xs:element name="id" type="xs:int"/>
    <xs:element name="line" maxOccurs="unbounded" minOccurs="0"><xs:complexType>
      <xs:attribute name="sku" type="xs:string" use="required"/></xs:complexType></xs:element>
  </xs:sequence></xs:complexType></xs:element>)");

std::shared_ptr<const XsdSchema> compiled(const std::string& text) {
  auto schema = XsdSchema::compile(text);
  EXPECT_TRUE(schema) << schema.error().detail;
  return schema ? *schema : nullptr;
}

TEST(XsdSchema, TakesXmlThatFits) {
  const auto schema = compiled(kOrder);
  EXPECT_THAT(schema->check_xml("<order><id>1</id><line sku='a'/><line sku='b'/></order>"), IsEmpty());
  const auto payload = json::parse(R"("<order><id>1<\/id></order>")");
  EXPECT_THAT(schema->check(payload->root()), IsEmpty());
}

TEST(XsdSchema, NamesLineAndElementOfWhatDoesNot) {
  const auto violations = compiled(kOrder)->check_xml("<order>\n<id>x</id>\n<line/>\n</order>");
  ASSERT_EQ(violations.size(), 2u);
  EXPECT_THAT(violations[0].message, HasSubstr("line 2"));
  EXPECT_THAT(violations[0].message, HasSubstr("Element 'id'"));
  EXPECT_THAT(violations[1].message, HasSubstr("line 3"));
  EXPECT_THAT(violations[1].message, HasSubstr("sku"));
}

TEST(XsdSchema, RefusesWhatIsNoXml) {
  const auto schema = compiled(kOrder);
  for (const char* xml : {"", "x", "<order>", "<order></other>", "<order/><order/>", "\xff\xfe<"}) {
    EXPECT_EQ(schema->check_xml(xml).size(), 1u) << xml;
  }
  const auto payload = json::parse(R"({"order":1})");
  EXPECT_THAT(schema->check(payload->root())[0].message, HasSubstr("must be XML in a string"));
  EXPECT_THAT(schema->check_xml(std::string(kXmlBytesMax + 1, ' '))[0].message, HasSubstr("longer"));
}

TEST(XsdSchema, RefusesSchemasThatDoNotCompileWithTheReason) {
  EXPECT_THAT(XsdSchema::compile("").error().detail, HasSubstr("empty"));
  EXPECT_THAT(XsdSchema::compile("<x/>").error().detail, HasSubstr("schema"));
  const auto unknown_type = XsdSchema::compile(schema_of("\n<xs:element name='a' type='missing'/>"));
  ASSERT_FALSE(unknown_type);
  EXPECT_THAT(unknown_type.error().detail, HasSubstr("line 3"));
  EXPECT_THAT(unknown_type.error().detail, HasSubstr("missing"));
  EXPECT_THAT(XsdSchema::compile(std::string(kSchemaBytesMax + 1, ' ')).error().detail, HasSubstr("longer"));
}

TEST(XsdSchema, NeverLoadsAnotherSchema) {
  for (const char* kind : {"include", "redefine"}) {
    const auto schema = XsdSchema::compile(schema_of(fmt::format("<xs:{} schemaLocation='other.xsd'/>", kind)));
    ASSERT_FALSE(schema) << kind;
    EXPECT_THAT(schema.error().detail, HasSubstr(fmt::format("{} is not allowed", kind)));
  }
  EXPECT_FALSE(XsdSchema::compile(schema_of("<xs:import namespace='urn:x' schemaLocation='http://localhost/x'/>")));
}

TEST(XsdSchema, RefusesADtdBeforeItsEntitiesCount) {
  const auto schema = compiled(kOrder);
  for (const char* xml : {
           "<!DOCTYPE order><order><id>1</id></order>",
           "<!DOCTYPE order SYSTEM 'http://localhost/x.dtd'><order><id>1</id></order>",
           "<!DOCTYPE order [<!ENTITY x SYSTEM 'file:///etc/hostname'>]><order><id>&x;</id></order>",
           "<!DOCTYPE order [<!ENTITY a '1'><!ENTITY b '&a;&a;&a;&a;'>]><order><id>&b;</id></order>",
       }) {
    const auto violations = schema->check_xml(xml);
    ASSERT_EQ(violations.size(), 1u) << xml;
    EXPECT_THAT(violations[0].message, HasSubstr("DTD")) << xml;
  }
  EXPECT_FALSE(XsdSchema::compile("<!DOCTYPE x [<!ENTITY a 'b'>]>" + kOrder.substr(kOrder.find("<xs:schema"))));
}

// libxml2 would take the declarations of the hinted schema for its own and let the stranger pass.
TEST(XsdSchema, IgnoresHintsOfWhereASchemaIs) {
  const std::string path = ::testing::TempDir() + "stranger.xsd";
  std::ofstream(path) << R"(<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:s">
    <xs:element name="stranger" type="xs:string"/></xs:schema>)";
  const std::string xml =
      fmt::format(R"(<s:stranger xmlns:s="urn:s" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
    xsi:schemaLocation="urn:s {}">x</s:stranger>)",
                  path);
  EXPECT_FALSE(compiled(kOrder)->check_xml(xml).empty());
  // A document that fits is not refused for its hint.
  EXPECT_THAT(compiled(kOrder)->check_xml(R"(<order xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
    xsi:noNamespaceSchemaLocation="order.xsd"><id>1</id></order>)"),
              IsEmpty());
}

TEST(XsdSchema, RefusesDocumentsThatAreTooDeep) {
  std::string deep;
  for (int i = 0; i < 5000; ++i) deep += "<a>";
  EXPECT_EQ(compiled(kOrder)->check_xml(deep).size(), 1u);
}

// Definitions that double what they name, thirty times.
std::string doubling(std::string_view first, std::string_view next) {
  std::string body(first);
  for (int i = 1; i < 30; ++i) body += fmt::format(fmt::runtime(next), i, i - 1);
  return schema_of(body);
}

TEST(XsdSchema, RefusesFewLinesThatStandForBillions) {
  const std::string groups = doubling(
      R"(<xs:group name="n0"><xs:sequence><xs:element name="a" type="xs:int"/></xs:sequence></xs:group>)",
      R"(<xs:group name="n{0}"><xs:sequence><xs:group ref="n{1}"/><xs:group ref="n{1}"/></xs:sequence></xs:group>)");
  const std::string attributes =
      doubling(R"(<xs:attributeGroup name="n0"><xs:attribute name="a" type="xs:int"/></xs:attributeGroup>)",
               R"(<xs:attributeGroup name="n{0}"><xs:attributeGroup ref="n{1}"/><xs:attributeGroup ref="n{1}"/>)"
               R"(</xs:attributeGroup>)");
  const std::string unions =
      doubling(R"(<xs:simpleType name="n0"><xs:union memberTypes="xs:int xs:date"/></xs:simpleType>)",
               R"(<xs:simpleType name="n{0}"><xs:union memberTypes="n{1} n{1}"/></xs:simpleType>)");
  for (const std::string& text : {groups, attributes, unions}) {
    const auto schema = XsdSchema::compile(text);
    ASSERT_FALSE(schema);
    EXPECT_THAT(schema.error().detail, HasSubstr("too large"));
  }
}

TEST(XsdSchema, RefusesModelsAndPatternsThatWouldTakeLong) {
  std::string optional;
  for (int i = 0; i < 2'000; ++i) optional += fmt::format(R"(<xs:element name="a{}" minOccurs="0"/>)", i);
  std::string pattern;
  for (int i = 0; i < 3'000; ++i) pattern += "a?";
  for (const std::string& body :
       {fmt::format(
            R"(<xs:element name="r"><xs:complexType><xs:sequence>{}</xs:sequence></xs:complexType></xs:element>)",
            optional),
        fmt::format(R"(<xs:simpleType name="t"><xs:restriction base="xs:string"><xs:pattern value="{}"/>)"
                    R"(</xs:restriction></xs:simpleType>)",
                    pattern)}) {
    EXPECT_THAT(XsdSchema::compile(schema_of(body)).error().detail, HasSubstr("too large"));
  }
}

TEST(XsdSchema, RefusesLongNamesAroundManyDeclarations) {
  std::string body = fmt::format(R"(<xs:complexType name="{}"><xs:sequence>)", std::string(100'000, 'n'));
  for (int i = 0; i < 500; ++i) body += fmt::format(R"(<xs:element name="a{}"/>)", i);
  EXPECT_THAT(XsdSchema::compile(schema_of(body + "</xs:sequence></xs:complexType>")).error().detail,
              HasSubstr("too long"));
}

TEST(XsdSchema, TakesTypesThatDeriveFromOthersAndShareGroups) {
  compiled(schema_of(R"(
    <xs:simpleType name="string"><xs:restriction base="xs:string"><xs:pattern value="[a-z]+"/></xs:restriction>
    </xs:simpleType>
    <xs:group name="address"><xs:sequence><xs:element name="city" type="string"/></xs:sequence></xs:group>
    <xs:complexType name="address"><xs:group ref="address"/></xs:complexType>
    <xs:complexType name="home"><xs:complexContent><xs:extension base="address"><xs:attribute name="door"/>
    </xs:extension></xs:complexContent></xs:complexType>
    <xs:element name="pet" abstract="true"/><xs:element name="cat" substitutionGroup="pet"/>
    <xs:element name="house"><xs:complexType><xs:sequence><xs:element ref="pet"/><xs:element ref="pet"/></xs:sequence>
    </xs:complexType></xs:element>)"));
}

TEST(XsdSchema, MayBeUsedByManyThreads) {
  const auto schema = compiled(kOrder);
  std::atomic<int> wrong = 0;
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        const bool fits = (t + i) % 2 == 0;
        if (schema->check_xml(fits ? "<order><id>1</id></order>" : "<order><id>x</id></order>").empty() != fits)
          ++wrong;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(wrong, 0);
}

// S2.5 for XSD
TEST(XsdCompatibility, FollowsTheSameTable) {
  struct Case {
    const char* was;
    const char* is;
    ChangeKind kind;
    bool breaking;
  };
  const auto shape = [](const char* body) {
    return compiled(schema_of(fmt::format("<xs:element name='o'><xs:complexType><xs:sequence>{}</xs:sequence>"
                                          "</xs:complexType></xs:element>",
                                          body)))
        ->shape();
  };
  constexpr const char* kA = "<xs:element name='a' type='xs:int'/>";
  for (const auto& [was, is, kind, breaking] : {
           Case{kA, "<xs:element name='a' type='xs:int'/><xs:element name='b' minOccurs='0'/>", ChangeKind::field_added,
                false},
           Case{kA, "<xs:element name='a' type='xs:int'/><xs:element name='b'/>", ChangeKind::required_added, true},
           Case{kA, "", ChangeKind::field_removed, true},
           Case{kA, "<xs:element name='a' type='xs:string'/>", ChangeKind::type_changed, true},
           Case{kA, "<xs:element name='a' type='xs:int' minOccurs='0'/>", ChangeKind::required_dropped, false},
           Case{"<xs:element name='a' type='xs:int' maxOccurs='9'/>", kA, ChangeKind::tightened, true},
       }) {
    const auto result = compare_xsd(shape(was), shape(is));
    ASSERT_EQ(result.changes.size(), 1u) << is;
    EXPECT_EQ(to_text(result.changes[0].kind), to_text(kind)) << is;
    EXPECT_EQ(result.changes[0].breaking, breaking) << is;
  }
}

TEST(XsdCompatibility, EnumerationsMayGrowButNotShrink) {
  const auto shape = [](const char* values) {
    return compiled(schema_of(fmt::format("<xs:simpleType name='c'><xs:restriction base='xs:string'>{}</xs:restriction>"
                                          "</xs:simpleType>",
                                          values)))
        ->shape();
  };
  const auto one = shape("<xs:enumeration value='x'/>");
  const auto two = shape("<xs:enumeration value='x'/><xs:enumeration value='y'/>");
  EXPECT_TRUE(compare_xsd(one, two).compatible());
  EXPECT_FALSE(compare_xsd(two, one).compatible());
}

}  // namespace
}  // namespace millrace::registry
