import Contract
import HTTP1

/// The host of an authority (`Host`, or that of an absolute target), with its labels.
struct HostField: Sendable {
  /// The host in lower case, without port and trailing dot.
  let host: String
  let port: Int?

  init(_ authority: some Collection<UInt8>) {
    let text = String(decoding: authority, as: UTF8.self).lowercased()
    var host = text[...]
    if let bracket = text.lastIndex(of: "]") {
      host = text[...bracket]
    } else if let colon = text.lastIndex(of: ":") {
      host = text[..<colon]
    }
    port = Int(text.dropFirst(host.count + 1))
    self.host = String(host.hasSuffix(".") ? host.dropLast() : host)
  }

  /// The host of an origin, with or without a path: `http://localhost:8080/mock`.
  init(ofOrigin origin: String) {
    let authority = origin.utf8.drop { $0 != UInt8(ascii: "/") }.dropFirst(2)
    self.init(authority.prefix { $0 != UInt8(ascii: "/") })
  }

  /// Returns the labels in the host name: those before `localhost`, or the API of a real service.
  ///
  /// - Parameter isLabel: Returns false for a name that may be no label, because no sandbox has it.
  func labels(_ apis: [API], isLabel: (String) -> Bool = { _ in true }) throws(Labels.Conflict) -> Labels {
    if let index = apis.firstIndex(where: { $0.isHost(host) }) { return Labels(api: index) }
    var labels = Labels()
    for name in names {
      if isLabel(name) { try labels.add(name, apis) } else { try labels.add(Labels(tentative: name), apis) }
    }
    return labels
  }

  /// The names before `localhost`.
  var names: [String] {
    host.hasSuffix(".localhost") ? host.dropLast(".localhost".count).split(separator: ".").map(String.init) : []
  }

  /// True if the host is this machine's loopback. A page of another site cannot make a browser send such a host.
  var isLoopback: Bool {
    if host == "localhost" || host.hasSuffix(".localhost") || host == "[::1]" { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { $0.allSatisfy(\.isNumber) && UInt8($0) != nil }
  }
}

/// The labels and the base of one authority at one port.
final class Host: Sendable {
  /// The authority as sent; empty if there is none.
  private let authority: [UInt8]
  private let port: Labels
  private let isProxied: Bool
  /// The labels of the authority and of the port.
  let labels: Labels
  /// Scheme, authority and a proxy's prefix on the client's side; empty if the authority is unknown.
  let origin: String
  /// True if the labels are the same as long as the server runs, whatever sandboxes there are.
  let isFixed: Bool

  /// - Parameters:
  ///   - port: The labels of the port at which the request arrived.
  ///   - hasSandbox: Returns true if there is a sandbox of a name; nil if every name in the host is a label.
  init(
    of request: borrowing Request, at port: Labels, _ apis: [API], hasSandbox: ((String) -> Bool)?
  ) throws(Labels.Conflict) {
    authority = request.host.map { Array(request.bytes[$0]) } ?? []
    let field = HostField(authority)
    isFixed = hasSandbox == nil || field.names.isEmpty
    var labels = port
    try labels.add(field.labels(apis, isLabel: hasSandbox ?? { _ in true }), apis)
    self.labels = labels
    self.port = port
    isProxied = request.isProxied
    origin = request.clientAuthority.map { request.scheme.rawValue + "://" + $0 + request.clientPrefix } ?? ""
  }

  /// Returns true if a request has the same host. A proxy's fields may differ with each request.
  func isHost(of request: borrowing Request, at port: Labels) -> Bool {
    guard !isProxied, !request.isProxied, self.port == port else { return false }
    guard let range = request.host else { return authority.isEmpty }
    return request.bytes.span.holds(authority, at: range)
  }
}
