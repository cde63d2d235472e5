import Contract
import Faults
import HTTP1
import Platform
import Primitives
import Services

/// The backend, as a source of responses.
///
/// Each question has a connection of its own, which the event loop drives: `ClientConnection` is its machine without I/O,
/// `UpstreamConnection` the socket, and `UpstreamAnswer` makes a response of what arrives. No question is asked twice: a
/// repetition by this server would falsify what its clients are judged by.
final class Upstream: ResponseSource {
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
  private let resolver: UpstreamResolver
  private let clock: () -> MonotonicInstant
  private let buffer = ReceiveBuffer()
  /// The name of this server in `Via`. No other server has it, so that one may stand behind another.
  private let pseudonym = "understudy-\(RandomToken.make().prefix(16))"
  /// The questions under way, by their ids.
  private var connections: [Int: UpstreamConnection] = [:]

  init(_ configuration: Configuration, _ resolver: UpstreamResolver, clock: @escaping () -> MonotonicInstant) {
    self.configuration = configuration
    self.resolver = resolver
    self.clock = clock
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

  func ask(_ question: Question, by loop: any Loop) {
    guard let forwarding = question.forwarding else { preconditionFailure("a forwarded request has a message") }
    let answer = UpstreamAnswer(
      forwarding, limit: configuration.maximumBody, name: configuration.name,
      timeout: configuration.timeout)
    guard let channels = loop.channels else {
      preconditionFailure("a loop with an upstream has channels")
    }
    let (id, now, addresses) = (question.id, clock(), resolver.addresses())
    let framing = forwarding.upload?.framing
    let machine = ClientConnection(
      forwarding.message, isComplete: framing == nil || framing == .tunnel,
      acceptsTunnel: framing == .tunnel,
      isToHead: forwarding.isHead, addressCount: addresses.count, timeout: configuration.timeout,
      at: now)
    let connection = UpstreamConnection(
      machine, answer, forwarding.upload, to: addresses, channels, buffer: buffer, clock: clock,
      respond: { response in loop.answer(id, with: response) },
      whenEnded: { [weak self] in self?.connections[id] = nil })
    connections[id] = connection
    if addresses.isEmpty { resolve(for: id, by: loop) }
    connection.begin()
  }

  /// Searches for the addresses of the host, for which a question waits.
  private func resolve(for question: Int, by loop: any Loop) {
    resolver.search { [post = loop.post] failure in
      post { state in (state.source as? Upstream)?.didResolve(for: question, failure) }
    }
  }

  private func didResolve(for question: Int, _ failure: SystemError?) {
    connections[question]?.didResolve(to: resolver.addresses(), failure)
  }

  /// Returns the number of bytes that are stored of the answer to a question; nil if that is not under way.
  func storedBytes(of question: Int) -> Int? { connections[question]?.storedBytes }

  func clientLeft(_ question: Int) { connections[question]?.clientLeft() }
}

extension Upstream.Configuration {
  /// The standard settings for a backend.
  init(address: BaseURL) { self.init(address: address, host: UpstreamHost(of: address)) }
}
