import JSON
import Primitives

extension ReportCard {
  var json: JSONValue {
    [
      "sandbox": .string(sandbox), "scenario": .string(scenario), "seed": .int(Int(seed)),
      "exchanges": .int(exchanges), "replays": .int(replays), "partial": .bool(isJournalPartial),
      "verdict": .string(verdict.rawValue),
      "checks": .array(lines.map(\.json)),
      "delays": delays.json,
    ]
  }
}

extension ReportCard {
  /// The card with the entries that it cites, for a file that outlives the journal.
  var jsonWithEntries: JSONValue {
    guard var object = json.object else { return json }
    object["entries"] = citedEntries
    return .object(object)
  }

  var citedEntries: JSONValue { .array(entries.sorted { $0.key < $1.key }.map(\.value)) }
}

extension ReportCard.Line {
  var json: JSONValue {
    [
      "id": .string(id), "verdict": .string(verdict.rawValue), "sentence": .string(finding.sentence),
      "evidence": .array(finding.evidence.map { .int($0) }),
    ]
  }
}

extension Delays {
  fileprivate var json: JSONValue {
    [
      "early": .int(early), "planned": planned.json, "measured": measured.json, "lateness": lateness.json,
    ]
  }
}

extension Histogram {
  fileprivate var json: JSONValue {
    [
      "count": .int(count), "min": .text(of: minimum), "mean": .text(of: mean), "max": .text(of: maximum),
      "p50": .text(of: quantile(permille: 500)), "p90": .text(of: quantile(permille: 900)),
      "p99": .text(of: quantile(permille: 990)), "p999": .text(of: quantile(permille: 999)),
      "buckets": .array(
        buckets.map { ["over": .text(of: $0.over), "upTo": .text(of: $0.upTo), "count": .int($0.count)] }),
    ]
  }
}

extension JSONValue {
  static func text(of duration: Duration) -> JSONValue { .string(DurationText.text(duration)) }
}
