/// An error in a request's bytes. The connection gets one response and is closed.
package enum Rejection: UInt8, Error, Sendable, CaseIterable {
  case bareLineFeed, bareCarriageReturn, blankLines
  case methodMissing, methodByte, encrypted, methodTooLong, requestLineTooLong
  case targetMissing, targetByte, targetPercent, targetForm, targetScheme, targetSecure, targetUserinfo
  case targetAuthority
  case connectTarget, asteriskTarget, simpleRequest, versionSyntax, versionUnsupported
  case headTooLarge, listsTooLong, tooManyFields, lineFolding, fieldNameMissing, fieldNameByte, blankInName
  case blankBeforeColon, colonMissing
  case fieldValueByte
  case hostMissing, hostRepeated, hostEmpty, hostSyntax
  case lengthSyntax, lengthRepeated, lengthWithEncoding, bodyTooLarge
  case encodingIn10, encodingSyntax, encodingNotChunkedLast, encodingUnknown
  case expectationUnknown
  case chunkSize, chunkExtension, chunkEnd, chunkLineTooLong, chunkOverhead
  case truncated

  /// The status code of the response (RFC 9110 15).
  package var status: Int { refusal.status }
  /// The last segment of the problem's type: the kind of error, for a program.
  package var kind: String {
    switch status {
    case 413: "content-too-large"
    case 414: "target-too-long"
    case 417: "expectation-failed"
    case 421: "misdirected-request"
    case 431: "fields-too-large"
    case 501: self == .methodTooLong ? "unknown-method" : "unknown-transfer-coding"
    case 505: "unknown-version"
    default: "malformed-request"
    }
  }
  /// The reason for the rejection, as a sentence for the client's developer.
  package var reason: String { refusal.reason }
  /// The section that sets the rule, such as `RFC 9112 2.2`.
  package var section: String { refusal.section }
}

extension Rejection {
  private typealias Refusal = (status: Int, section: String, reason: String)

  private var refusal: Refusal {
    switch self {
    case .bareLineFeed: (400, "RFC 9112 2.2", "A line ends with LF alone; lines end with CR LF.")
    case .bareCarriageReturn: (400, "RFC 9112 2.2", "A CR is not followed by LF.")
    case .blankLines: (400, "RFC 9112 2.2", "More than one empty line precedes the request line.")
    case .methodMissing: (400, "RFC 9112 3", "The request line does not begin with a method.")
    case .methodByte: (400, "RFC 9112 3.1", "The method contains a byte that a method must not contain.")
    case .encrypted:
      (
        400, "RFC 9110 4.2.1",
        "The client speaks TLS (https), but this port speaks plain HTTP: use http://, or put docker/tls.py before the server."
      )
    case .methodTooLong: (501, "RFC 9112 3", "The method is longer than every method that this server knows.")
    case .requestLineTooLong: (414, "RFC 9112 3", "The request line is too long.")
    case .targetMissing: (400, "RFC 9112 3", "Exactly one space and a target must follow the method.")
    case .targetByte: (400, "RFC 9112 3.2", "The request target contains a byte that must be percent-encoded.")
    case .targetPercent: (400, "RFC 3986 2.1", "A % in the request target is not followed by two hexadecimal digits.")
    case .targetForm: (400, "RFC 9112 3.2", "The request target neither begins with / nor is an absolute URI.")
    case .targetScheme: (400, "RFC 9110 4.2", "The request target's scheme is not http.")
    case .targetSecure:
      (421, "RFC 9110 7.4", "This server does not encrypt and cannot serve an https target; use http.")
    case .targetUserinfo: (400, "RFC 9110 4.2.4", "The request target contains user information before its host.")
    case .targetAuthority: (400, "RFC 9110 4.2.1", "The request target's host or port is missing or malformed.")
    case .connectTarget: (400, "RFC 9112 3.2.3", "The target of CONNECT must be host:port.")
    case .asteriskTarget: (400, "RFC 9112 3.2.4", "Only OPTIONS may have * as its target.")
    case .simpleRequest: (400, "RFC 9112 3", "The request line ends without a version, as in HTTP/0.9.")
    case .versionSyntax: (400, "RFC 9112 2.3", "The line must end with one space and a version such as HTTP/1.1.")
    case .versionUnsupported: (505, "RFC 9110 15.6.6", "This server supports only HTTP/1.0 and HTTP/1.1.")
    default: fieldRefusal
    }
  }

  private var fieldRefusal: Refusal {
    switch self {
    case .listsTooLong:
      (
        431, "RFC 6585 5",
        "The lists in fields such as Accept, If-None-Match and Prefer are too long in total; send fewer elements."
      )
    case .headTooLarge: (431, "RFC 6585 5", "The header or trailer fields are too large in total.")
    case .tooManyFields: (431, "RFC 6585 5", "There are too many header or trailer fields.")
    case .lineFolding:
      (400, "RFC 9112 5.2", "A field line begins with white space; values cannot be folded over lines.")
    case .fieldNameMissing: (400, "RFC 9112 5", "A field line has no name before its colon.")
    case .fieldNameByte: (400, "RFC 9112 5.1", "A field name contains a byte that a field name must not contain.")
    case .blankInName: (400, "RFC 9112 5.1", "A field name contains white space.")
    case .blankBeforeColon: (400, "RFC 9112 5.1", "There is white space between a field name and its colon.")
    case .colonMissing: (400, "RFC 9112 5", "A field line has no colon.")
    case .fieldValueByte: (400, "RFC 9110 5.5", "A field value contains a control byte.")
    case .hostMissing: (400, "RFC 9112 3.2", "An HTTP/1.1 request must have a Host field.")
    case .hostRepeated: (400, "RFC 9112 3.2", "There is more than one Host field.")
    case .hostEmpty: (400, "RFC 9110 4.2.1", "The Host field is empty.")
    case .hostSyntax: (400, "RFC 9112 3.2", "The Host field is not a host with an optional port.")
    case .expectationUnknown: (417, "RFC 9110 10.1.1", "The server supports only the expectation 100-continue.")
    default: framingRefusal
    }
  }

  private var framingRefusal: Refusal {
    switch self {
    case .lengthSyntax: (400, "RFC 9112 6.3", "Content-Length is not a plain decimal number.")
    case .lengthRepeated: (400, "RFC 9112 6.3", "There is more than one Content-Length.")
    case .lengthWithEncoding:
      (400, "RFC 9112 6.3", "A message must not have both Content-Length and Transfer-Encoding.")
    case .bodyTooLarge: (413, "RFC 9110 15.5.14", "The content is larger than 1 MiB, the maximum of this server.")
    case .encodingIn10: (400, "RFC 9112 6.1", "HTTP/1.0 has no Transfer-Encoding.")
    case .encodingSyntax:
      (
        400, "RFC 9112 6.1",
        "Transfer-Encoding contains a malformed transfer coding; this server supports only `chunked`."
      )
    case .encodingNotChunkedLast: (400, "RFC 9112 6.3", "`chunked` must be the last transfer coding, and applied once.")
    case .encodingUnknown:
      (
        501, "RFC 9112 6.1",
        "The message has a transfer coding that this server does not support; only `chunked` is supported."
      )
    case .chunkSize: (400, "RFC 9112 7.1", "A chunk's size is not a plain hexadecimal number of at most 16 digits.")
    case .chunkExtension: (400, "RFC 9112 7.1.1", "A chunk's extension is malformed.")
    case .chunkEnd: (400, "RFC 9112 7.1", "A chunk's data is not followed by CR LF where its size says.")
    case .chunkLineTooLong: (400, "RFC 9112 7.1.1", "A chunk's size line is too long.")
    case .chunkOverhead: (400, "RFC 9112 7.1.1", "The chunks contain far more framing than data.")
    default: (400, "RFC 9112 8", "The connection ended before the request was complete.")
    }
  }
}
