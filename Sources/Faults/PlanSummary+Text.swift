package import JSON

extension PlanSummary {
  /// The plan for people and for the `Understudy-Fault` field: printable ASCII, at most 250 bytes, empty without
  /// faults.
  package var description: String { description(undeliverable: nil) }

  /// The description for a response to which the fault could not be applied, for the given reason.
  package func description(undeliverable reason: UndeliverableReason?) -> String {
    var text = ""
    func add(_ part: String) { text += text.isEmpty ? part : "; " + part }
    if plan.coldStart > .zero { add("cold start " + DurationText.text(plan.coldStart)) }
    let waited = plan.delayBefore - plan.coldStart
    if waited > .zero { add("latency " + DurationText.text(waited)) }
    if plan.delayAfter > .zero { add("latency \(DurationText.text(plan.delayAfter)) after commit") }
    if let fault {
      add(reason.map { "\(fault.action.name) not deliverable: \($0.description)" } ?? fault.description)
    }
    if let pace = plan.pace { add("pace \(pace.description)") }
    if !plan.rivals.isEmpty { add("rivals moved \(plan.rivals.count)") }
    return text.isEmpty ? "" : Self.printable(text + ruleWords, atMost: 250, quotes: true)
  }

  /// The names of the rules. The identity of a rule without a name is its content, which is too long.
  private var ruleWords: String {
    guard !rules.isEmpty else { return "" }
    let names = rules.filter { !$0.hasPrefix("{") }.map { "\"\(Self.printable($0, atMost: 40))\"" }
    guard !names.isEmpty else { return "" }
    let shown = names.prefix(3).joined(separator: ", ") + (names.count > 3 ? " and \(names.count - 3) more" : "")
    return names.count == 1 ? " (rule \(shown))" : " (rules \(shown))"
  }

  /// The plan in `GET /_mock/plan` and in the journal.
  package var json: JSONValue {
    var members = [plan.position.member, JSONValue.Member("delay", .duration(delay))]
    if let name = fault?.action.faultName { members.append(JSONValue.Member("fault", .string(name))) }
    if let status { members.append(JSONValue.Member("status", .int(status.status))) }
    members.append(JSONValue.Member("phase", .string((fault?.phase ?? .before).rawValue)))
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
  /// The description; it includes the phase if it makes a difference.
  package var description: String {
    guard changes || phase == .after else { return action.description }
    return "\(action.description) \(phase.rawValue) commit"
  }
}
