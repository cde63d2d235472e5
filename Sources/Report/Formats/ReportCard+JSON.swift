import JSON
import Primitives

extension ReportCard {
  var json: JSONValue {
    let json: JSONValue = [
      "sandbox": .string(sandbox), "scenario": .string(scenario), "seed": .int(Int(seed)),
      "exchanges": .int(exchanges), "replays": .int(replays),
      "faults": strikes.map { .int($0) } ?? .null, "partial": .bool(isJournalPartial),
      "verdict": .string(verdict.rawValue),
      "checks": .array(checks.map(\.json)),
      "delays": delays.json,
    ]
    guard asked > 0 else { return json }
    return json.merging(["upstream": ["requests": .int(asked), "unanswered": .int(unanswered)]])
  }
}

extension ReportCard {
  /// The card with its entries, for a file that outlives the journal.
  var jsonWithEntries: JSONValue {
    guard var object = json.object else { return json }
    object["entries"] = sortedEntries
    return .object(object)
  }

  var sortedEntries: JSONValue { .array(entries.sorted { $0.key < $1.key }.map(\.value)) }
}

extension ReportCard.Check {
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
      "count": .int(count), "min": .duration(minimum), "mean": .duration(mean), "max": .duration(maximum),
      "p50": .duration(quantile(permille: 500)), "p90": .duration(quantile(permille: 900)),
      "p99": .duration(quantile(permille: 990)), "p999": .duration(quantile(permille: 999)),
      "buckets": .array(
        buckets.map { ["over": .duration($0.over), "upTo": .duration($0.upTo), "count": .int($0.count)] }),
    ]
  }
}
