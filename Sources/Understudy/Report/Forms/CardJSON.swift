import JSON

extension ReportCard {
  var json: JSON {
    [
      "sandbox": .string(sandbox), "scenario": .string(scenario), "seed": .int(Int(seed)),
      "exchanges": .int(exchanges), "replays": .int(replays), "partial": .bool(isJournalPartial),
      "verdict": .string(verdict.rawValue),
      "checks": .array(
        lines.map { line in
          [
            "id": .string(line.id), "verdict": .string(line.verdict.rawValue),
            "sentence": .string(line.finding.sentence),
            "evidence": .array(line.finding.evidence.map { .int($0) }),
          ]
        }),
    ]
  }
}
