"""What SARIF 2.1.0 demands of the objects that oocc writes (OASIS, sections 3.13 to 3.58): `check(document)` raises
AssertionError at the first breach. For each kind of object: what it must have, what it may have besides."""
import re

KINDS = {
    "log": ({"version", "runs"}, {"$schema"}),
    "run": ({"tool"}, {"columnKind", "invocations", "artifacts", "results"}),
    "tool": ({"driver"}, set()),
    "component": ({"name"}, {"version", "semanticVersion", "rules", "notifications"}),
    "descriptor": ({"id"}, {"shortDescription"}),
    "invocation": ({"executionSuccessful"},
                   {"exitCode", "toolConfigurationNotifications", "toolExecutionNotifications", "properties"}),
    "notification": ({"message"}, {"descriptor", "level", "locations"}),
    "reference": (set(), {"id", "index"}),
    "artifact": (set(), {"location", "length", "encoding", "sourceLanguage"}),
    "result": ({"message"}, {"ruleId", "ruleIndex", "level", "locations", "relatedLocations", "fixes"}),
    "location": (set(), {"id", "physicalLocation", "message"}),
    "physical": ({"artifactLocation"}, {"region"}),
    "place": (set(), {"uri", "index"}),
    "region": (set(), {"startLine", "startColumn", "endLine", "endColumn", "snippet"}),
    "fix": ({"artifactChanges"}, {"description"}),
    "change": ({"artifactLocation", "replacements"}, set()),
    "replacement": ({"deletedRegion"}, {"insertedContent"}),
    "message": ({"text"}, set()),
    "content": (set(), {"text"}),
}
LEVELS = {"none", "note", "warning", "error"}
# RFC 3986, what a reference may consist of.
URI = re.compile(r"(?:[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=]|%[0-9A-F]{2})+")


def known(kind, value):
    must, may = KINDS[kind]
    assert isinstance(value, dict), (kind, value)
    assert must <= set(value), f"{kind} lacks {must - set(value)}"
    assert set(value) <= must | may, f"{kind} has {set(value) - must - may}"
    return value


def each(kind, values):
    assert isinstance(values, list), (kind, values)
    return [known(kind, value) for value in values]


def region(value):
    known("region", value)
    start = value["startLine"], value["startColumn"]
    end = value["endLine"], value["endColumn"]
    assert (1, 1) <= (1, start[1]) and start[0] >= 1 and start <= end, value
    if "snippet" in value:
        known("content", value["snippet"])


def place(value, artifacts):
    known("place", value)
    assert URI.fullmatch(value["uri"]), value
    if "index" in value:
        assert artifacts[value["index"]]["location"]["uri"] == value["uri"], value


def location(value, artifacts):
    known("location", value)
    physical = known("physical", value["physicalLocation"])
    place(physical["artifactLocation"], artifacts)
    region(physical["region"])
    if "message" in value:
        known("message", value["message"])


def rule(index, identity, descriptors):
    assert descriptors[index]["id"] == identity, (index, identity)


def result(value, driver, artifacts):
    known("message", value["message"])
    assert value["level"] in LEVELS
    rule(value["ruleIndex"], value["ruleId"], driver["rules"])
    assert value["locations"], "a result without a location is shown nowhere"
    for one in value["locations"] + value.get("relatedLocations", []):
        location(one, artifacts)
    ids = [one["id"] for one in value.get("relatedLocations", [])]
    assert len(ids) == len(set(ids))
    for fix in each("fix", value.get("fixes", [])):
        known("message", fix["description"])
        assert fix["artifactChanges"]
        for change in each("change", fix["artifactChanges"]):
            place(change["artifactLocation"], artifacts)
            assert change["replacements"]
            for replacement in each("replacement", change["replacements"]):
                region(replacement["deletedRegion"])
                known("content", replacement["insertedContent"])


def check(document):
    """Returns the only run."""
    known("log", document)
    assert document["version"] == "2.1.0"
    run, = each("run", document["runs"])
    driver = known("component", known("tool", run["tool"])["driver"])
    assert re.fullmatch(r"\d+\.\d+\.\d+", driver["semanticVersion"])
    assert run["columnKind"] in {"utf16CodeUnits", "unicodeCodePoints"}
    for kind in ["rules", "notifications"]:
        ids = [one["id"] for one in each("descriptor", driver[kind])]
        assert len(ids) == len(set(ids)) and all(ids), ids
    artifacts = each("artifact", run["artifacts"])
    for one in artifacts:
        assert URI.fullmatch(known("place", one["location"])["uri"])
    for one in each("result", run["results"]):
        result(one, driver, artifacts)
    for invocation in each("invocation", run["invocations"]):
        for kind in ["toolConfigurationNotifications", "toolExecutionNotifications"]:
            for notification in each("notification", invocation.get(kind, [])):
                known("message", notification["message"])
                for one in notification.get("locations", []):
                    location(one, artifacts)
                assert notification["level"] in LEVELS
                reference = known("reference", notification["descriptor"])
                rule(reference["index"], reference["id"], driver["notifications"])
    return run
