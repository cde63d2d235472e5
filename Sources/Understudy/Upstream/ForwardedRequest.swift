import Contract
import Faults
import HTTP1
import Primitives
import Services

/// The bytes of a request to the upstream: method, target, fields and content as the client sent them, less what concerns
/// only the client's own connection, and less what is meant for this server (RFC 9110 section 7.6).
struct ForwardedRequest {
  /// The value of `Host`.
  let authority: String
  /// The path before every forwarded path.
  let base: String
  /// True to ask for content without a coding, because the plan changes it.
  let readsContent: Bool
  /// The name of this server in `Via`, by which it knows a request that it has passed on before (RFC 9110 section 7.6.3).
  let pseudonym: String

  /// Returns the message.
  ///
  /// - Parameter labelCount: The number of the path's first segments that are labels.
  func bytes(of request: borrowing Request, droppingLabels labelCount: Int) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(request.head.count + request.body.count + 128)
    output += request.bytes[request.method]
    output.append(Byte.space)
    appendTarget(of: request, labelCount, to: &output)
    output += Self.versionAndHost
    output += authority.utf8
    output += Self.lineEnd
    appendFields(of: request, to: &output)
    if readsContent { output += Self.identity }
    // A server must not wait for content that no field announces (RFC 9110 section 8.6).
    let hasContent = !request.body.isEmpty || request.has(.contentLength) || request.has(.transferEncoding)
    if hasContent { ResponseHead.appendContentLength(request.body.count, to: &output) }
    output += request.version == .http10 ? Self.viaOldVersion : Self.via
    output += pseudonym.utf8
    output += Self.close
    output += request.bytes[request.body]
    return output
  }

  /// Returns the refusal of a request that cannot be passed on, because it asks for another protocol than HTTP/1.1. `h2c`,
  /// which some clients ask for by habit, may be ignored (RFC 9110 section 7.8).
  static func refusal(of request: borrowing Request) -> Response? {
    guard let protocols = request.combined(.upgrade) else { return nil }
    let names = protocols.split(separator: ",").map { String($0).trimmingBlanks.lowercased() }
    guard let name = names.first(where: { $0 != "h2c" && !$0.hasPrefix("http/") && !$0.isEmpty }) else { return nil }
    return .problem(
      Problem(
        501, "upgrade-not-supported", "The protocol is not supported",
        "The request asks for \(name); this server passes on HTTP/1.1 only."))
  }

  /// Returns true if a server with this name in `Via` has passed a request on before.
  static func hasPassed(_ request: borrowing Request, through pseudonym: String) -> Bool {
    let name = Array(pseudonym.utf8)
    for field in request.fields where ConnectionOptions.isEqual(request.bytes[field.name], viaName) {
      let words = request.bytes[field.value].split { Byte.isBlank($0) || $0 == Byte.comma }
      if words.contains(where: { $0.elementsEqual(name) }) { return true }
    }
    return false
  }

  private func appendTarget(of request: borrowing Request, _ labelCount: Int, to output: inout [UInt8]) {
    if request.targetForm == .asterisk { return output.append(UInt8(ascii: "*")) }
    var path = request.bytes[request.path]
    for _ in 0..<labelCount {
      path = path.drop { $0 == Byte.slash }.drop { $0 != Byte.slash }
    }
    output += base.utf8
    if path.first != Byte.slash { output.append(Byte.slash) }
    output += path
    if let query = request.query {
      output.append(UInt8(ascii: "?"))
      output += request.bytes[query]
    }
  }

  private func appendFields(of request: borrowing Request, to output: inout [UInt8]) {
    let options = ConnectionOptions(request.values(of: .connection).map { request.bytes[$0] })
    for field in request.fields {
      switch field.known {
      case .host, .connection, .contentLength, .transferEncoding, .te, .trailer, .upgrade, .expect, .faultKey,
        .understudyClient, .understudySandbox:
        continue
      case .acceptEncoding where readsContent: continue
      case .prefer: continue
      default: break
      }
      let name = request.bytes[field.name]
      guard !options.contains(name), !ConnectionOptions.isOwn(name) else { continue }
      ResponseHead.appendField(name, request.bytes[field.value], to: &output)
    }
    if let rest = request.combined(.prefer).flatMap(PreferenceField.foreignPart(of:)) {
      ResponseHead.appendField("Prefer", rest, to: &output)
    }
  }

  private static let viaName = Array("via".utf8)
  private static let lineEnd = Array("\r\n".utf8)
  private static let versionAndHost = Array(" HTTP/1.1\r\nHost: ".utf8)
  private static let identity = Array("Accept-Encoding: identity\r\n".utf8)
  private static let via = Array("Via: 1.1 ".utf8)
  private static let viaOldVersion = Array("Via: 1.0 ".utf8)
  private static let close = Array("\r\nConnection: close\r\n\r\n".utf8)
}

/// The fields that concern one connection only, so that a proxy does not forward them: those that `Connection` names, and
/// those that always do (RFC 9110 section 7.6.1).
struct ConnectionOptions {
  /// The names in `Connection`, in lower case.
  private let named: [[UInt8]]

  init(_ values: [ArraySlice<UInt8>]) {
    named = values.flatMap { value in
      value.split(separator: Byte.comma).map { option in
        option.filter { !Byte.isBlank($0) }.map(Byte.lowercased)
      }
    }
  }

  /// Returns true if a field of this name is not forwarded.
  func contains(_ name: ArraySlice<UInt8>) -> Bool {
    Self.always.contains { Self.isEqual(name, $0) }
      || named.contains { Self.isEqual(name, $0) }
  }

  /// Returns true if this server owns the field: `Understudy-Sandbox`.
  static func isOwn(_ name: ArraySlice<UInt8>) -> Bool {
    name.count > own.count && isEqual(name.prefix(own.count), own)
  }

  /// Returns true if a name is equal to one in lower case.
  static func isEqual(_ name: ArraySlice<UInt8>, _ lowercased: [UInt8]) -> Bool {
    name.count == lowercased.count && zip(name, lowercased).allSatisfy { Byte.lowercased($0) == $1 }
  }

  private static let always = [
    "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade", "http2-settings",
  ].map { Array($0.utf8) }
  private static let own = Array("understudy-".utf8)
}
