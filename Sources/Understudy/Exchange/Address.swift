import Contract

/// The place where a request is meant to go.
struct Address: Sendable {
  var destination: Destination
  /// The API and the sandbox that the request names.
  var labels = Labels()
  /// Scheme and authority as the client wrote them; empty where no authority is known.
  var origin = ""
  /// The labels that the client needs in front of the API's `/`.
  var prefix = ""

  /// The address of a request whose target was not read.
  static let unknown = Address(destination: Destination(.settled(Reply(500), api: nil)))
}
