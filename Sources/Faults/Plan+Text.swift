package import JSON
import Primitives

extension Plan {
  /// The plan for people and for the `Understudy-Fault` field: printable ASCII, at most 250 bytes, empty without
  /// faults.
  package var description: String {
    var text: [UInt8] = []
    appendDescription(change: contents?.draft.change, to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// Appends the description.
  ///
  /// - Parameters:
  ///   - reason: The reason for which the fault could not be applied to the response, if it could not.
  ///   - change: The change that the fault made in the response's body.
  package func appendDescription(
    undeliverable reason: UndeliverableReason? = nil, change: String?, to output: inout [UInt8]
  ) {
    let start = output.count
    let delays = delays
    func begin(_ part: String) {
      if output.count > start { output += "; ".utf8 }
      output += part.utf8
    }
    if delays.coldStart > .zero {
      begin("cold start ")
      delays.coldStart.appendText(to: &output)
    }
    if delays.before > delays.coldStart {
      begin("latency ")
      (delays.before - delays.coldStart).appendText(to: &output)
    }
    if delays.after > .zero {
      begin("latency ")
      delays.after.appendText(to: &output)
      output += " after commit".utf8
    }
    if let fault {
      let text =
        reason.map { "\(fault.action.name) not deliverable: \($0.description)" }
        ?? (change.map { "\(fault.description): \($0)" } ?? fault.description)
      begin(Self.printable(text, atMost: .max, quotes: true))
    }
    if let pace { begin("pace \(pace.description)") }
    if !rivals.isEmpty { begin("rivals moved \(rivals.count)") }
    guard output.count > start else { return }
    appendRules(to: &output)
    guard output.count - start > Self.maximumDescription else { return }
    output.removeSubrange((start + Self.maximumDescription - 3)...)
    output += "...".utf8
  }

  private static let maximumDescription = 250

  /// Appends the names of the rules. The identity of a rule without a name is its content, which is too long.
  private func appendRules(to output: inout [UInt8]) {
    let rules = rules
    func isNamed(_ rule: String) -> Bool { rule.utf8.first != UInt8(ascii: "{") }
    let count = rules.count(where: isNamed)
    guard count > 0 else { return }
    var shown = 0
    for rule in rules where shown < 3 && isNamed(rule) {
      output += (shown > 0 ? ", \"" : count == 1 ? " (rule \"" : " (rules \"").utf8
      output += Self.printable(rule, atMost: 40).utf8
      output.append(UInt8(ascii: "\""))
      shown += 1
    }
    if count > shown { output += " and \(count - shown) more".utf8 }
    output.append(UInt8(ascii: ")"))
  }

  /// The plan in `GET /_mock/plan` and in the journal.
  package var json: JSONValue {
    var members = [position.member, JSONValue.Member("delay", .duration(delay))]
    if let name = fault?.action.faultName { members.append(JSONValue.Member("fault", .string(name))) }
    if let status { members.append(JSONValue.Member("status", .int(status.status))) }
    members.append(JSONValue.Member("phase", .string(phase.rawValue)))
    if let at = fault?.action.at { members.append(JSONValue.Member("at", .string(at.text))) }
    members.append(JSONValue.Member("rules", .array(rules.map(JSONValue.string))))
    members.append(JSONValue.Member("words", .string(description)))
    return .object(JSONValue.Object(members))
  }

  /// Replaces quotes, backslashes and everything that is not printable ASCII, and truncates long texts.
  static func printable(_ text: String, atMost count: Int, quotes: Bool = false) -> String {
    let isPrintable = text.utf8.allSatisfy {
      0x20...0x7E ~= $0 && $0 != UInt8(ascii: "\\") && (quotes || $0 != UInt8(ascii: "\""))
    }
    if isPrintable, text.utf8.count <= count { return text }
    var bytes: [UInt8] = []
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"" where !quotes, "\\": bytes.append(UInt8(ascii: "'"))
      case " "..."~": bytes.append(UInt8(truncatingIfNeeded: scalar.value))
      default: bytes.append(UInt8(ascii: "?"))
      }
    }
    let cut = bytes.count > count ? bytes.prefix(count - 3) + Array("...".utf8) : bytes[...]
    return String(decoding: cut, as: UTF8.self)
  }
}

extension Ordinal {
  package var member: JSONValue.Member {
    switch self {
    case .ordinal(let n): JSONValue.Member("n", .int(n))
    case .key(let key): JSONValue.Member("key", .string(key))
    }
  }
}

extension Fault {
  /// The description; it includes the phase if it makes a difference. Content that says what the API did follows the change
  /// in both phases.
  package var description: String {
    if case .damage(let damage) = action, damage.isTruthful, phase == .before { return action.description }
    guard changes || phase == .after else { return action.description }
    return "\(action.description) \(phase.rawValue) commit"
  }
}
