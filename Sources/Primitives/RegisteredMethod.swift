/// A method of the IANA registry of HTTP methods (RFC 9110 section 16.1), with the properties that it has there.
package struct RegisteredMethod: Sendable {
  /// The name as in a request line; its case matters.
  package let name: String
  /// True if a request with this method asks for no change of state (RFC 9110 section 9.2.1).
  package let isSafe: Bool
  /// True if several equal requests have the effect of one (RFC 9110 section 9.2.2).
  package let isIdempotent: Bool

  /// All methods: those of RFC 9110 and PATCH first, as `Method` declares them, then those that only the registry has.
  package static let all: [RegisteredMethod] =
    Method.allCases.map(RegisteredMethod.init)
    + of(["PRI", "PROPFIND", "QUERY", "REPORT", "SEARCH"], isSafe: true, isIdempotent: true)
    + of(["LOCK"], isSafe: false, isIdempotent: false)
    + of(
      [
        "ACL", "BASELINE-CONTROL", "BIND", "CHECKIN", "CHECKOUT", "COPY", "LABEL", "LINK", "MERGE", "MKACTIVITY",
        "MKCALENDAR", "MKCOL", "MKREDIRECTREF", "MKWORKSPACE", "MOVE", "ORDERPATCH", "PROPPATCH", "REBIND", "UNBIND",
        "UNCHECKOUT", "UNLINK", "UNLOCK", "UPDATE", "UPDATEREDIRECTREF", "VERSION-CONTROL",
      ], isSafe: false, isIdempotent: true)

  private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

  /// Returns the method with exactly this name; nil if the registry has none.
  package static func named(_ name: String) -> RegisteredMethod? { byName[name] }

  private static func of(_ names: [String], isSafe: Bool, isIdempotent: Bool) -> [RegisteredMethod] {
    names.map { RegisteredMethod(name: $0, isSafe: isSafe, isIdempotent: isIdempotent) }
  }
}

extension RegisteredMethod {
  package init(_ method: Method) {
    self.init(name: method.rawValue, isSafe: method.isSafe, isIdempotent: method.isIdempotent)
  }
}
