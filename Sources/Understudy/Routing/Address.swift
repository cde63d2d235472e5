import Services

/// The target of a request, with the API and the sandbox that it names.
///
/// It is shared by the requests with the same method, path and host.
final class Address: Sendable {
  let destination: ResolvedRoute
  /// The API and the sandbox of the request.
  let labels: Labels
  /// Scheme, authority and a proxy's prefix as the client wrote them; empty if the authority is unknown.
  let origin: String
  /// The labels before the API's `/`.
  let prefix: String
  /// The URL of the API's `/` on the client's side, without a trailing slash.
  let base: String

  init(_ destination: ResolvedRoute, labels: Labels = Labels(), origin: String = "", prefix: String = "") {
    self.destination = destination
    self.labels = labels
    self.origin = origin
    self.prefix = prefix
    base = origin + prefix
  }

  /// The target of a request whose head could not be read.
  static let unknown = Address(ResolvedRoute(.immediate(Response(500), api: nil)))

  /// Returns the same address with another route.
  func with(_ destination: ResolvedRoute) -> Address {
    Address(destination, labels: labels, origin: origin, prefix: prefix)
  }

  /// Returns the same address with the origin of the port at which the request arrived.
  func with(origin: String) -> Address { Address(destination, labels: labels, origin: origin, prefix: prefix) }
}
