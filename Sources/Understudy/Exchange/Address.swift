import Contract

/// The target of a request.
struct Address: Sendable {
  var destination: ResolvedRoute
  /// The API and the sandbox of the request.
  var labels = Labels()
  /// Scheme and authority as the client wrote them; empty if the authority is unknown.
  var origin = ""
  /// The labels before the API's `/`.
  var prefix = ""

  /// The target of a request whose head could not be read.
  static let unknown = Address(destination: ResolvedRoute(.immediate(Response(500), api: nil)))
}
