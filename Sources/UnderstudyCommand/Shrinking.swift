import Understudy

/// Cuts a failing scenario down to the fewest rules that still make the command fail.
struct Shrinking {
  let command: RunCommand
  let seed: UInt64

  /// Prints the smallest scenario that still fails, as JSON, last; false when it fails without any rule.
  func run() async throws -> Bool {
    let scenario = command.settings.options.scenario
    var kept = Array(0..<(try Understudy.ruleCount(of: scenario)))
    var runs = 0
    guard try await !fails(scenario, [], &runs) else { return false }
    var size = (kept.count + 1) / 2
    while size >= 1, kept.count > 1 {
      var hasShrunk = false
      for start in stride(from: 0, to: kept.count, by: size) where kept.count > 1 {
        let rest = Array(kept[..<min(start, kept.count)] + kept[min(start + size, kept.count)...])
        guard !rest.isEmpty, rest.count < kept.count, try await fails(scenario, rest, &runs) else { continue }
        kept = rest
        hasShrunk = true
        break
      }
      if hasShrunk { size = min(size, (kept.count + 1) / 2) } else if size == 1 { break } else { size = (size + 1) / 2 }
    }
    let count = kept.count == 1 ? "one rule" : "\(kept.count) rules"
    Output.writeError("understudy: cut down to \(count) in \(runs) runs\n")
    Output.write(try Understudy.scenario(scenario, keeping: kept))
    return true
  }

  private func fails(_ scenario: String, _ rules: [Int], _ runs: inout Int) async throws -> Bool {
    runs += 1
    let file = try TextFile.temporary(try Understudy.scenario(scenario, keeping: rules))
    defer { TextFile.remove(file) }
    return try await command.once(scenario: file, seed: seed).isFailing
  }
}
