import HTTP1
import Primitives

/// The fields that allow web pages of any origin to use the APIs, including credentials (Fetch standard, section 3.2).
enum CORS {
  /// The fields that a page's script may read. With credentials `*` is not a wildcard, so each field is named.
  private static let exposed = Array(
    """
    Access-Control-Expose-Headers: ETag, Idempotent-Replayed, Link, Location, X-Total-Count, Retry-After, \
    RateLimit, RateLimit-Policy, Preference-Applied, Server-Timing, Understudy-Request, Understudy-Fault\r

    """.utf8)
  private static let anyOrigin = Array("Access-Control-Allow-Origin: *\r\n".utf8)
  private static let originName = Array("Access-Control-Allow-Origin: ".utf8)
  private static let credentials = Array("\r\nAccess-Control-Allow-Credentials: true\r\n".utf8)

  /// Writes the fields.
  ///
  /// - Parameters:
  ///   - origin: The value of the request's `Origin` field.
  ///   - preflight: Not nil if the request is a preflight.
  static func write(origin: ArraySlice<UInt8>?, _ preflight: Preflight?, to output: inout [UInt8]) {
    if let origin, !origin.isEmpty {
      output += originName
      output += origin
      output += credentials
    } else {
      output += anyOrigin
    }
    output += exposed
    guard let preflight else { return }
    ResponseHead.appendField("Access-Control-Allow-Methods", preflight.methods, to: &output)
    if let fields = preflight.fields { ResponseHead.appendField("Access-Control-Allow-Headers", fields, to: &output) }
    if preflight.requestsPrivateNetwork {
      ResponseHead.appendField("Access-Control-Allow-Private-Network", "true", to: &output)
    }
    ResponseHead.appendField("Access-Control-Max-Age", number: 600, to: &output)
  }
}

/// A browser's preflight request, which asks for a page's permission to send a request.
struct Preflight: Sendable {
  let methods: String
  /// The names of the fields that the page will send.
  let fields: String?
  let requestsPrivateNetwork: Bool

  /// Parses a preflight; nil if `request` is not one.
  ///
  /// - Parameter allowed: The methods of the path.
  init?(_ request: borrowing Request, allowed: String?) {
    guard request.knownMethod == .options, request.first(.origin) != nil,
      request.first(.accessControlRequestMethod) != nil
    else { return nil }
    methods = allowed ?? "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"
    fields = request.first(.accessControlRequestHeaders).map { request.text($0.value) }
    requestsPrivateNetwork = request.first(.accessControlRequestPrivateNetwork) != nil
  }
}
