import Contract
import Faults
import HTTP1
import Primitives
import Services

/// The bytes of a request to the upstream: method, target, fields and content as the client sent them, less what concerns
/// only the client's own connection, and less what is meant for this server (RFC 9110 section 7.6).
struct ForwardedRequest {
  /// The places of the backend, whose authority is the value of `Host`, and of the client.
  let origins: OriginMap
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
    output += origins.backend.authority.utf8
    output += Self.lineEnd
    appendFields(of: request, to: &output)
    if readsContent { output += Self.identity }
    appendFraming(of: request, to: &output)
    output += request.version == .http10 ? Self.viaOldVersion : Self.via
    output += pseudonym.utf8
    if let name = Self.tunnelProtocol(of: request) {
      output += "\r\nConnection: Upgrade\r\nUpgrade: \(name)\r\n\r\n".utf8
    } else {
      output += Self.close
    }
    let content = request.bytes[request.body]
    if request.isPartial, request.has(.transferEncoding) {
      ChunkedEncoder.appendChunk(content, to: &output)
    } else {
      output += content
    }
    return output
  }

  private func appendFraming(of request: borrowing Request, to output: inout [UInt8]) {
    if request.isPartial, request.has(.transferEncoding) {
      ResponseHead.appendChunked(to: &output)
    } else if request.isPartial, let length = request.first(.contentLength) {
      ResponseHead.appendField(Self.contentLength, request.bytes[length.value], to: &output)
    } else if !request.body.isEmpty || request.has(.contentLength) || request.has(.transferEncoding) {
      // A server must not wait for content that no field announces (RFC 9110 section 8.6).
      ResponseHead.appendContentLength(request.body.count, to: &output)
    }
  }

  /// Returns the protocol to which the client asks to change, if it is another one than HTTP. `h2c`, for which some clients ask
  /// by habit, may be ignored (RFC 9110 section 7.8).
  static func tunnelProtocol(of request: borrowing Request) -> String? {
    guard request.version == .http11, let protocols = request.combined(.upgrade) else { return nil }
    let names = protocols.split(separator: ",").map { String($0).trimmingBlanks }
    let others = names.filter {
      $0.lowercased() != "h2c" && !$0.lowercased().hasPrefix("http/") && !$0.isEmpty
    }
    return others.isEmpty ? nil : others.joined(separator: ", ")
  }

  /// The number of further servers that may pass a request on; nil if it says none. Only TRACE and OPTIONS have it
  /// (RFC 9110 section 7.6.2).
  private static func forwardCount(of request: borrowing Request) -> Int? {
    guard request.knownMethod == .trace || request.knownMethod == .options else { return nil }
    return request.value(named: "max-forwards").flatMap { Int(request.text($0)) }.flatMap { $0 < 0 ? nil : $0 }
  }

  /// Returns the response to a request that must not be passed on any further.
  static func finalResponse(to request: borrowing Request) -> Response? {
    guard forwardCount(of: request) == 0 else { return nil }
    let methods = "OPTIONS"
    return request.knownMethod == .options
      ? .options(allowing: methods) : .methodNotAllowed(405, request.text(request.method), methods)
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
    output += origins.backend.prefix.utf8
    if path.first != Byte.slash { output.append(Byte.slash) }
    output += path
    if let query = request.query {
      output.append(UInt8(ascii: "?"))
      output += request.bytes[query]
    }
  }

  private func appendFields(of request: borrowing Request, to output: inout [UInt8]) {
    let options = ConnectionOptions(request.values(of: .connection).map { request.bytes[$0] })
    let forwardCount = Self.forwardCount(of: request)
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
      if let forwardCount, ConnectionOptions.isEqual(name, Self.maximumForwards) {
        ResponseHead.appendField(name, Array(String(forwardCount - 1).utf8)[...], to: &output)
        continue
      }
      let value = origins.backendValue(of: request.bytes[field.value], named: name)
      ResponseHead.appendField(name, value[...], to: &output)
    }
    if let rest = request.combined(.prefer).flatMap(PreferenceField.foreignPart(of:)) {
      ResponseHead.appendField("Prefer", rest, to: &output)
    }
  }

  private static let maximumForwards = Array("max-forwards".utf8)
  private static let contentLength = Array("Content-Length".utf8)[...]
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
