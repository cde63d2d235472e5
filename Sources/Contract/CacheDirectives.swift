/// The directives of a `Cache-Control` field, as far as they concern a client's own cache (RFC 9111 section 5.2).
package struct CacheDirectives {
  /// The directives in lower case, with their arguments.
  private let directives: [String]

  /// - Parameter field: The field's value.
  package init(_ field: String) {
    directives = field.lowercased().split(separator: ",").map { $0.filter { $0 != " " && $0 != "\t" } }
  }

  /// True if a response must not be stored (RFC 9111 section 5.2.2.5).
  package var forbidsStoring: Bool { has("no-store") }

  /// True if a response must not be reused without validation. `no-cache` counts also if it names fields, because most caches
  /// ignore them.
  package var requiresValidation: Bool { has("no-cache") || forbidsStoring }

  /// The duration of `max-age`; nil if there is none, or if `requiresValidation` overrules it.
  package var lifetime: Duration? {
    guard !requiresValidation, let age = directives.first(where: { $0.hasPrefix("max-age=") }) else { return nil }
    return Int64(age.dropFirst(8)).map { .seconds($0) }
  }

  private func has(_ name: String) -> Bool { directives.contains { $0.prefix { $0 != "=" } == name } }
}
