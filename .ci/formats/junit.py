"""Validates a JUnit report by the schema, and compares its counts with its cases. Usage: junit.py SCHEMA REPORT"""

import sys

from lxml import etree

schema, card = etree.XMLSchema(etree.parse(sys.argv[1])), etree.parse(sys.argv[2])
schema.assertValid(card)
for element in [card.getroot(), *card.iter("testsuite")]:
    for attribute, kind in [("tests", "testcase"), ("failures", "failure"), ("errors", "error"), ("skipped", "skipped")]:
        told, found = element.get(attribute), sum(1 for _ in element.iter(kind))
        assert told is None and element.tag == "testsuites" or int(told) == found, (element.attrib, attribute, found)
assert card.find(".//error") is not None and card.find(".//failure") is not None
print(f"{sum(1 for _ in card.iter('testcase'))} cases in {len(card.getroot())} suites are as the schema wants them")
