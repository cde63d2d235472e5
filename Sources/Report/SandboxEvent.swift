package import Faults
package import Primitives

/// An event in a sandbox that is not a request.
package enum SandboxEvent: Sendable {
  /// A scenario begins.
  ///
  /// - `inapplicable`: The names of the scenario's rules that an upstream cannot have, because they name one of the
  ///   five APIs or change their data. `rules` does not contain them, so they do not count as never delivered.
  case armed(rules: [ArmedRule], inapplicable: [String] = [])
  /// A connection was refused before its first request, by these rules.
  case refused(rules: [String])
  /// A rival took from a counter somewhere, or gave something back; the rules that sent it.
  case rival(rules: [String])
  /// A stream of events has ended.
  case streamEnded(StreamEnd)
  /// The whole state was replaced: restored, patched or reset.
  case replaced

  /// True if it belongs to the traffic, and so to the checks before a reset that is not confirmed yet, too.
  package var isOfTraffic: Bool {
    switch self {
    case .refused, .rival, .streamEnded: true
    case .armed, .replaced: false
    }
  }
}

/// The end of a stream of events.
package struct StreamEnd: Sendable {
  package static let maximumTags = 64

  /// The journal's id of its request.
  let request: Int
  /// The hashes of the ids of the last events, which are the entity tags of what they show.
  let tags: [UInt64]
  /// True if there were more events than tags.
  let isPartial: Bool
  /// True if the client did not end it: the server did, or the plan kept it silent.
  let isBroken: Bool
  /// The time of the end, as in observations.
  let time: MonotonicInstant

  package init(request: Int, tags: [UInt64], isPartial: Bool, isBroken: Bool, time: MonotonicInstant) {
    self.request = request
    self.tags = tags
    self.isPartial = isPartial
    self.isBroken = isBroken
    self.time = time
  }
}

/// A rule as the report counts its strikes.
package struct ArmedRule: Sendable {
  let identity: String
  /// The API that it is about; nil for all of them.
  let api: String?
  /// The requests that it matches, for people: `PATCH /devices/*`.
  let matches: String
  /// Those of them that it chooses, for people; nil if the clock decides.
  let choice: String?

  init(_ identity: String, api: String? = nil, matches: String = "all requests", choice: String? = nil) {
    self.identity = identity
    self.api = api
    self.matches = matches
    self.choice = choice
  }

  package init(_ rule: Rule) {
    let choice = rule.effect.dependence == .time ? nil : rule.when.choiceDescription
    self.init(rule.identity, api: rule.match.api, matches: rule.match.words, choice: choice)
  }

  /// The name, or that it has none.
  var title: String { identity.hasPrefix("{") ? "a rule without a name" : "“\(identity)”" }
}

extension Match {
  /// The requests that it matches, for people.
  fileprivate var words: String {
    var words: [String] = []
    if !methods.isEmpty { words.append(methods.joined(separator: " or ")) }
    if let path { words.append(path.text) }
    if let changes { words.append(changes ? "writes" : "reads") }
    if let api { words.append("of \(api)") }
    if !headers.isEmpty { words.append("with \(headers.map(\.name).joined(separator: " and "))") }
    return words.isEmpty ? "all requests" : words.joined(separator: " ")
  }
}
