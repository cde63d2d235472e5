import Contract
import HTTP1
import Primitives
import Services

extension ForwardedHead {
  /// Reads the head of the upstream's response: without the fields that concern one connection (RFC 9110 section 7.6.1),
  /// and with the URLs of the backend's origin as the client's.
  init(_ head: ReceivedHead, _ origins: OriginMap) {
    self.init()
    reason = head.reason.map { Array(head.bytes[$0]) }
    let options = ConnectionOptions(
      head.fields.filter { $0.known == .connection }.map { head.bytes[$0.value] })
    for field in head.fields {
      let (name, value) = (head.bytes[field.name], head.bytes[field.value])
      switch field.known {
      case .contentType: contentType = contentType ?? Array(value)
      case .contentLength: if head.content == .none, head.status != 204 { announcedLength = Array(value) }
      default:
        // It names the protocol that both ends speak from now on (RFC 9110 section 15.2.2).
        let isProtocol = head.status == 101 && field.known == .upgrade
        guard isProtocol || !options.contains(name), !ConnectionOptions.isOwn(name) else {
          continue
        }
        fields.append(Field(name: Array(name), value: origins.clientValue(of: value, named: name)))
      }
    }
  }

  /// True if the content has a coding, so that its bytes are not those of its media type.
  private var isEncoded: Bool {
    index(of: "content-encoding").map { !ConnectionOptions.isEqual(fields[$0].value[...], Array("identity".utf8)) }
      ?? false
  }

  /// The backend's entity tag in this server's form, so that long content need not be hashed.
  var tag: EntityTag { EntityTag(hash: tagHash ?? 0, isWeak: false) }

  /// The type of the content as far as faults distinguish types.
  var mediaType: MediaType {
    guard !isEncoded, let contentType else { return .text }
    let type = String(decoding: contentType.prefix { $0 != Byte.semicolon }, as: UTF8.self).lowercased()
      .filter { $0 != " " && $0 != "\t" }
    return switch type {
    case "application/json": .json
    case _ where type.hasSuffix("+json"): .json
    case "text/html", "application/xhtml+xml": .html
    case _ where type.hasPrefix("image/"): .png
    default: .text
    }
  }
}

extension UpstreamOutcome.Failure {
  init(_ failure: ClientConnection.Failure) {
    self =
      switch failure {
      case .unreachable: .unreachable
      case .timeout: .timeout
      case .malformed: .malformed
      }
  }
}
