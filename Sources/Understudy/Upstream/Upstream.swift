import Contract
import Faults
import HTTP1
import Primitives
import Services

/// The backend: what requests to it mean, which of them it gets, and the message that it gets. It
/// is used on the loop's thread only.
final class Upstream: @unchecked Sendable {
  /// The settings of `--upstream` and the options that belong to it.
  struct Configuration: Sendable {
    let address: BaseURL
    /// The `Host` field, in which the backend sees its own name.
    let host: UpstreamHost
    /// The hosts that clients may name; nil if they may name any.
    var allowedHosts: AllowedHosts?
    var semantics = Semantics.none
    /// The time until the head of an answer; while content is held, between its bytes and for all of it.
    var timeout = NanosecondDuration.seconds(30)
    /// The maximum number of bytes of an answer that is held for a fault.
    var maximumBody = 16 << 20
    /// The name of the generic API, on which the decisions of scenarios depend.
    var apiName = "upstream"

    /// The backend in sentences.
    var name: String { address.text }

    var routes: UpstreamRoutes { UpstreamRoutes(semantics, named: apiName) }

    /// The backend's origins, without a client's.
    var origins: OriginMap {
      OriginMap(backend: place(named: host.fixedAuthority ?? address.authority), client: .unknown)
    }

    /// Returns the backend as it appears in its own URLs.
    ///
    /// - Parameter authority: The value of `Host` with which it is asked.
    private func place(named authority: String) -> OriginMap.Place {
      OriginMap.Place(
        scheme: host.scheme, authority: authority, aliases: [address.authority],
        prefix: address.path)
    }

    /// Returns the origins of an exchange.
    func origins(of exchange: borrowing Exchange) -> OriginMap {
      let authority = host.authority(for: exchange, to: address)
      let client = OriginMap.Place(url: exchange.address.origin + exchange.destination.prefix)
      var origins = OriginMap(backend: place(named: authority), client: client ?? .unknown)
      origins.isForForeignPage = exchange.origin.map { !origins.isClientOrigin($0) } ?? false
      return origins
    }
  }

  let configuration: Configuration
  let routes: UpstreamRoutes
  /// The backend's end of each question; nil if requests are routed and none is asked.
  var respondent: (any Respondent)?
  /// The name of this server in `Via`. No other server has it, so that one may stand behind another.
  private let pseudonym = "understudy-\(RandomToken.make().prefix(16))"

  init(_ configuration: Configuration, asking respondent: (any Respondent)? = nil) {
    self.configuration = configuration
    self.respondent = respondent
    routes = configuration.routes
  }

  /// Returns a request as the backend is asked it.
  ///
  /// - Parameters:
  ///   - readsContent: True if the plan changes the content of the answer.
  ///   - holdsAnswer: True if the plan strikes in the content of the answer, or after its end.
  func forwarding(of exchange: borrowing Exchange, readsContent: Bool, holdsAnswer: Bool)
    -> Question.Forwarding
  {
    let origins = configuration.origins(of: exchange)
    let request = ForwardedRequest(
      origins: origins, readsContent: readsContent, pseudonym: pseudonym)
    let hasLabel = exchange.destination.labels.sandbox != nil
    return Question.Forwarding(
      message: request.bytes(of: exchange.request, droppingLabels: hasLabel ? 1 : 0), isHead: exchange.isHead,
      isWrite: exchange.isWrite,
      isDeclared: exchange.destination.operationIndex.map(routes.generic.isDeclared) ?? false,
      holdsAnswer: holdsAnswer,
      upload: upload(of: exchange), origins: origins)
  }

  /// Returns what follows the message of an exchange.
  private func upload(of exchange: borrowing Exchange) -> Question.Upload? {
    if let rest = exchange.rest {
      return Question.Upload(
        pipe: rest, framing: exchange.has(.transferEncoding) ? .chunked : .length)
    }
    return ForwardedRequest.tunnelProtocol(of: exchange.request).map { _ in
      Question.Upload(pipe: ContentPipe(), framing: .tunnel)
    }
  }

  /// Returns the refusal of a request that cannot be passed on; nil if it can.
  func refusal(of request: borrowing Request) -> Response? {
    if let host = request.host.map({ request.text($0) }),
      configuration.allowedHosts?.allows(host) == false
    {
      return .problem(.foreignHost(host, of: configuration.name))
    }
    guard ForwardedRequest.hasPassed(request, through: pseudonym) else {
      return ForwardedRequest.finalResponse(to: request)
    }
    return .problem(
      Problem(
        508, "upstream-loop", "The request is in a loop",
        "This server has passed the request on before, as its Via field says, so \(configuration.name) leads back to this "
          + "server. --upstream must name another one."))
  }
}

extension Upstream.Configuration {
  /// The standard settings for a backend.
  init(address: BaseURL) { self.init(address: address, host: UpstreamHost(of: address)) }
}
