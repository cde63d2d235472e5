import JSON

/// A preference that was not applied, and the reason.
struct PreferenceError: Error {
  private let text: String
  private let reason: String
  /// True if the preference belongs to another specification, so that it is ignored silently.
  private(set) var isForeign = false
  /// True if it is a parameter without a preference before it.
  private(set) var isStray = false

  init(_ preference: Preference, _ reason: String) {
    text = preference.source
    self.reason = reason
  }

  /// Creates the error of a known parameter at a preference that does not have it.
  init(_ parameter: String, of preference: Preference) {
    self.init(preference, "\(preference.text) takes no \(parameter)")
  }

  /// Creates the error of an unknown value of `fault`.
  init(fault preference: Preference) {
    let faults = Effect.Kind.faults.map(\.name)
    let near = Spelling.nearest(to: preference.value.lowercased(), among: faults)
    self.init(
      preference, near.map { "did you mean fault=\($0)?" } ?? "expected one of \(faults.joined(separator: ", "))")
  }

  /// Creates the error of a preference with an unknown name.
  init(name preference: Preference) {
    self.init(preference, Self.advice(preference.name) ?? "")
    isForeign = reason.isEmpty
    isStray = Self.parameters.contains(preference.name)
  }

  /// Creates the error of a malformed element.
  init(malformed element: Preference.Element) {
    text = element.text
    let isOwn = Self.names.contains(element.name) || Self.advice(element.name) != nil
    reason = isOwn ? "malformed; a value with other characters than a token's is quoted, as in at=\"1/2\"" : ""
    isForeign = !isOwn
  }

  /// The preferences that ask for effects.
  static let names =
    Effect.Kind.allCases.flatMap { kind in kind.alias.map { [kind.name, $0] } ?? [] } + [Effect.Kind.faultWord]
  /// The parameters of these preferences.
  static let parameters: Set<String> = Set(
    ["phase", "retry-after", "retryafter"] + Effect.Kind.faults.flatMap { $0.parameters.map(\.name) })

  /// Returns a suggestion if a name is similar to a supported one.
  private static func advice(_ name: String) -> String? {
    if parameters.contains(name) {
      return "a parameter follows its preference and a semicolon, as in fault=reset; phase=after"
    }
    for kind in Effect.Kind.allCases where kind.name.lowercased() == name {
      return kind.isFault ? "did you mean fault=\(name)?" : "only the rule of a scenario has it"
    }
    return Spelling.nearest(to: name, among: names, within: 1).map { "did you mean \($0)?" }
  }

  /// Returns all errors in one line for a header field.
  static func text(of errors: [PreferenceError]) -> String {
    let shown = errors.prefix(3).map { "\(Plan.printable($0.text, atMost: 60, quotes: true)) (\($0.reason))" }
    let rest = errors.count > 3 ? " and \(errors.count - 3) more" : ""
    return Plan.printable(shown.joined(separator: ", ") + rest, atMost: 250, quotes: true)
  }
}
