import Contract
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
    let address: UpstreamAddress
    /// The value of `Host`, if it is not the address's authority.
    var host: String?
    var semantics = Semantics.none
    /// The time until the head of an answer, and then between bytes.
    var timeout = NanosecondDuration.seconds(30)
    /// The maximum number of bytes of a request's content, and of an answer that is held whole.
    var maximumBody = 16 << 20
    /// The name of the generic API, on which the decisions of scenarios depend.
    var apiName = "upstream"

    /// The backend in sentences.
    var name: String { address.url }

    var routes: UpstreamRoutes { UpstreamRoutes(semantics, named: apiName) }

    /// Returns the origin of the backend, and the same on a client's side, of which nothing is known without arguments.
    func origins(clientOrigin: String = "", clientPrefix: String = "") -> OriginMap {
      OriginMap(
        authorities: [address.authority] + (host.map { [$0] } ?? []), base: address.base, clientOrigin: clientOrigin,
        clientPrefix: clientPrefix)
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
  /// - Parameter readsContent: True if the plan changes the content of the answer.
  func forwarding(of exchange: borrowing Exchange, readsContent: Bool) -> Question.Forwarding {
    let address = configuration.address
    let request = ForwardedRequest(
      authority: configuration.host ?? address.authority, base: address.base, readsContent: readsContent,
      pseudonym: pseudonym)
    let hasLabel = exchange.destination.labels.sandbox != nil
    return Question.Forwarding(
      message: request.bytes(of: exchange.request, droppingLabels: hasLabel ? 1 : 0), isHead: exchange.isHead,
      isWrite: exchange.isWrite,
      origins: configuration.origins(
        clientOrigin: exchange.address.origin, clientPrefix: exchange.destination.prefix))
  }

  /// Returns the refusal of a request that cannot be passed on; nil if it can.
  func refusal(of request: borrowing Request) -> Response? {
    guard ForwardedRequest.hasPassed(request, through: pseudonym) else { return ForwardedRequest.refusal(of: request) }
    return .problem(
      Problem(
        508, "upstream-loop", "The request is in a loop",
        "This server has passed the request on before, as its Via field says, so \(configuration.name) leads back to this "
          + "server. --upstream must name another one."))
  }

  func ask(_ question: Question, by loop: any Loop) {
    guard let forwarding = question.forwarding else { preconditionFailure("a forwarded request has a message") }
    let answer = UpstreamAnswer(
      isWrite: forwarding.isWrite, limit: configuration.maximumBody, origins: forwarding.origins,
      name: configuration.name, timeout: configuration.timeout)
    guard let channels = loop.channels else { preconditionFailure("a loop with an upstream has channels") }
    let (id, now, addresses) = (question.id, clock(), resolver.addresses())
    let machine = ClientConnection(
      forwarding.message, isToHead: forwarding.isHead, addressCount: addresses.count, timeout: configuration.timeout,
      at: now)
    let connection = UpstreamConnection(
      machine, answer, to: addresses, channels, buffer: buffer, clock: clock,
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
