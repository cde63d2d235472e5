/// The names of header fields, members of content and parameters of URLs whose values are credentials.
///
/// Case, `_` and `-` make no difference: `accessToken` is `access_token`.
package struct SecretNames: Sendable {
  private let names: Set<[UInt8]>

  /// The listed names of header fields.
  package static let listedFields = [
    "Authorization", "Proxy-Authorization", "Cookie", "Set-Cookie", "X-Api-Key", "Api-Key", "X-Auth-Token",
    "X-Access-Token", "X-Csrf-Token", "X-Xsrf-Token", "X-Amz-Security-Token", "X-Goog-Api-Key", "X-Vault-Token",
    "Private-Token", "X-Gitlab-Token",
  ]
  /// The listed names of members of JSON and forms, and of parameters of queries and URLs.
  package static let listedMembers = [
    "password", "passwd", "passphrase", "secret", "client_secret", "secret_key", "secret_access_key", "private_key",
    "api_key", "apikey", "token", "access_token", "refresh_token", "id_token", "auth_token", "session_token",
    "security_token", "csrf_token", "authorization", "client_assertion", "code_verifier", "signature",
    "X-Amz-Signature", "X-Amz-Security-Token", "X-Amz-Credential", "X-Goog-Signature",
  ]

  package static let fields = SecretNames(listedFields)
  package static let members = SecretNames(listedMembers)
  /// The header fields whose values are URLs, which may have such parameters.
  package static let fieldsOfURLs = SecretNames(["Location", "Content-Location", "Referer", "Link", "Refresh"])

  private let longest: Int
  /// The last letters of the names, as bits, by their first letter: they rule most other names out at once.
  private var lastLetters = [UInt32](repeating: 0, count: 26)

  private init(_ listed: [String]) { self.init(Set(listed.map { Self.normalized(Array($0.utf8)[...]) })) }

  private init(_ names: Set<[UInt8]>) {
    self.names = names
    longest = names.map(\.count).max() ?? 0
    for name in names {
      guard let (first, last) = Self.ends(of: name[...]) else { continue }
      lastLetters[first] |= 1 << UInt32(last)
    }
  }

  /// Returns the names without some that identify a write.
  package func without(_ others: [String]) -> SecretNames {
    others.isEmpty ? self : SecretNames(names.subtracting(others.map { Self.normalized(Array($0.utf8)[...]) }))
  }

  package func contains(_ name: ArraySlice<UInt8>) -> Bool {
    // A separator for each two letters is more than any of these names has.
    guard name.count > 2, name.count <= longest + longest / 2, let (first, last) = Self.ends(of: name),
      lastLetters[first] & 1 << UInt32(last) != 0
    else { return false }
    return names.contains(Self.normalized(name))
  }

  /// Returns the numbers of the first and the last letter of a name, but for separators; nil if one of them is no letter.
  private static func ends(of name: ArraySlice<UInt8>) -> (first: Int, last: Int)? {
    guard let first = name.first(where: { !isSeparator($0) }), let last = name.last(where: { !isSeparator($0) }) else {
      return nil
    }
    let (start, end) = (Int(first | 0x20) - 97, Int(last | 0x20) - 97)
    return 0..<26 ~= start && 0..<26 ~= end ? (start, end) : nil
  }

  package func contains(_ name: String) -> Bool { contains(Array(name.utf8)[...]) }

  private static func normalized(_ name: ArraySlice<UInt8>) -> [UInt8] {
    name.compactMap { isSeparator($0) ? nil : Byte.lowercased($0) }
  }

  private static func isSeparator(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-") }
}
