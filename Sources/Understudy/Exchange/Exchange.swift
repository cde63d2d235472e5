import Contract
package import HTTP1

/// One request and where it is meant to go, decided before anything is done.
package struct Exchange {
  package let request: Request
  /// The request's id in its sandbox's journal; 0 where no sandbox was found.
  package let id: Int
  package let sandbox: Sandbox?
  package let target: Target
  /// Where the API's `/` is for this client: scheme, authority and the labels it needs, without a closing slash.
  package let base: String
  /// What the port that it came in by says.
  package let port: Labels

  package enum Target {
    /// An operation with its method and the values of the path's variables. HEAD is carried out as GET.
    case operation(Router.Route, arguments: [String])
    /// An answer that needs no state: no such path, no such method, a preflight.
    case settled(Reply, api: Int?)
  }

  /// A reply to HEAD has the head of the reply to GET, and no body (RFC 9110 section 9.3.2).
  package var isHead: Bool { request.knownMethod == .head }

  package init(
    request: Request, id: Int = 0, sandbox: Sandbox? = nil, target: Target, base: String = "", port: Labels = Labels()
  ) {
    self.request = request
    self.id = id
    self.sandbox = sandbox
    self.target = target
    self.base = base
    self.port = port
  }
}
