import Contract
import Faults

/// The hosts by which clients may ask for a backend through a loopback address. A page elsewhere that rebinds its own name to
/// loopback must not read the server of a developer.
struct AllowedHosts: Sendable {
  /// Hosts besides those of loopback, in lower case and without ports.
  let names: [String]
  /// The patterns of `--allow-host`.
  let patterns: [Glob]

  /// - Parameters:
  ///   - authorities: The names of the backend itself.
  ///   - globs: Patterns, in which `*` is any text.
  init(_ authorities: [String], _ globs: [String]) {
    names = authorities.map { HostField($0.utf8).host }
    patterns = globs.map { Glob($0.lowercased()) }
  }

  /// Returns true if clients may ask by an authority.
  func allows(_ authority: String) -> Bool {
    let field = HostField(authority.utf8)
    return field.isLoopback || names.contains(field.host) || patterns.contains { $0.matches(Array(field.host.utf8)) }
  }
}

extension Problem {
  /// - Parameter backend: The name of the backend.
  static func foreignHost(_ host: String, of backend: String) -> Problem {
    Problem(
      403, "foreign-host", "The host is not allowed",
      "Host is «\(host)», a name of neither this machine's loopback nor \(backend). --allow-host \(HostField(host.utf8).host) "
        + "allows it.")
  }
}
