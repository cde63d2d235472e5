/// The directives of a `Cache-Control` field, as far as they concern a client's own cache (RFC 9111 section 5.2).
package struct CacheDirectives {
  /// The directives in lower case, with their arguments.
  private let directives: [String]

  /// - Parameter field: The field's value.
  package init(_ field: String) {
    directives = field.lowercased().split(separator: ",").map { $0.filter { $0 != " " && $0 != "\t" } }
  }

  /// True if a response must not be reused without a question to its server: `no-cache` or `no-store`. `no-cache` counts also
  /// if it names fields, because most caches ignore that.
  package var demandsQuestion: Bool {
    directives.contains { ["no-cache", "no-store"].contains($0.prefix { $0 != "=" }) }
  }

  /// The duration of `max-age`; nil if it has none.
  package var lifetime: Duration? {
    directives.lazy.compactMap { directive -> Duration? in
      guard directive.hasPrefix("max-age="), let seconds = Int64(directive.dropFirst(8)) else { return nil }
      return .seconds(seconds)
    }.first
  }
}
