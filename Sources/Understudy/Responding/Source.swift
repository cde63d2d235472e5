import Contract
import HTTP1
import Primitives
import Services

/// A source of responses: the handlers of an API, or a backend.
///
/// It is asked when the faults are decided and the request is not refused. It knows nothing of the fault that harms its
/// response, nor of the connection. What not every source has stands around one, as a source of its own.
protocol Source {
  /// Returns the outcome that the head determines before any content is read.
  func expectation(of request: Requested, _ exchange: borrowing Exchange, _ application: Application)
    -> Responder.Expectation

  /// Returns the response to a request, or the work for it.
  func response(
    to request: Requested, _ exchange: inout Exchange, _ application: Application, _ now: ClockReading
  ) -> Performance
}

extension Source {
  func expectation(of request: Requested, _ exchange: borrowing Exchange, _ application: Application)
    -> Responder.Expectation
  {
    request.operation.documentation.body == nil ? .final : .content
  }
}

/// The source of a route's responses. Nothing else tells the sources apart.
enum RouteSource: Sendable {
  /// The five APIs, of which each sandbox has a state.
  case services
  /// The control API, which acts on the application itself.
  case control
  /// The backend in front of which this server stands.
  case backend(Upstream)

  /// The properties of a source that others than the responder ask for.
  struct Traits: OptionSet, Sendable {
    let rawValue: UInt8

    /// Requests are those of the driver of the test: no scenario strikes them, no journal has them, and pages of other
    /// sites cannot read the responses.
    static let isOfDriver = Traits(rawValue: 1 << 0)
    /// Requests change the state of their sandbox, which also stores their idempotency keys.
    static let keepsState = Traits(rawValue: 1 << 1)
    /// Hosts and paths may look like labels and be none.
    static let hasForeignNames = Traits(rawValue: 1 << 2)
    /// Long content is passed on as it comes.
    static let passesContentOn = Traits(rawValue: 1 << 3)
    /// Another server answers, in a time of its own.
    static let isAsked = Traits(rawValue: 1 << 4)
  }

  var traits: Traits {
    switch self {
    case .services: [.keepsState]
    case .control: [.isOfDriver, .keepsState]
    case .backend: [.hasForeignNames, .passesContentOn, .isAsked]
    }
  }
}

extension RouteSource: Source {
  /// Returns the refusal that depends on neither state nor content.
  // Inlined, because most requests are not refused, and would move an empty response.
  @inline(__always)
  func refusal(of exchange: borrowing Exchange, _ application: Application, hasContent: Bool) -> Response? {
    switch self {
    case .services: break
    case .control:
      // Access is checked first, because a refusal must not reveal which sandboxes exist.
      let refusal = application.gate.refusal(for: exchange.request, exchange.operation, at: exchange.link.port)
      if let refusal { return refusal }
    case .backend(let upstream):
      // The content is the backend's to accept or to refuse.
      if let refusal = exchange.refusal { return refusal }
      return upstream.refusal(of: exchange.request)
    }
    if let refusal = exchange.refusal { return refusal }
    return exchange.operation.flatMap { ContentPolicy.refusal(for: exchange.request, $0, hasContent: hasContent) }
  }

  func expectation(of request: Requested, _ exchange: borrowing Exchange, _ application: Application)
    -> Responder.Expectation
  {
    switch self {
    case .services: Self.ofState.expectation(of: request, exchange, application)
    case .control: Self.ofControl(application).expectation(of: request, exchange, application)
    case .backend(let upstream): upstream.expectation(of: request, exchange, application)
    }
  }

  func response(
    to request: Requested, _ exchange: inout Exchange, _ application: Application, _ now: ClockReading
  ) -> Performance {
    switch self {
    case .services: Self.ofState.response(to: request, &exchange, application, now)
    case .control: Self.ofControl(application).response(to: request, &exchange, application, now)
    case .backend(let upstream): upstream.response(to: request, &exchange, application, now)
    }
  }

  private static var ofState: Keys<Conditions<StateHandlers>> { Keys(Conditions(StateHandlers())) }

  private static func ofControl(_ application: Application) -> Keys<Conditions<ControlService>> {
    Keys(Conditions(application.control))
  }

  /// Returns the sandboxes with unstored changes that a response of the source may show.
  func unstored(shownTo exchange: borrowing Exchange, _ directory: StateDirectory, _ application: Application)
    -> [Sandbox]
  {
    switch self {
    case .services:
      guard let sandbox = exchange.sandbox else { return [] }
      // A response under a key may be the stored one to a change of the same round.
      let isUncommitted =
        exchange.has(.idempotencyKey)
        ? sandbox.isUncommitted : exchange.api.map { sandbox.isUncommitted(api: $0) } ?? false
      return isUncommitted ? [sandbox] : []
    case .control:
      // It may depend on any sandbox, unless it shows no state at all.
      guard case .operation(let route, _) = exchange.target else { return [] }
      return application.control.isStateless(route.operation) ? [] : directory.unstored
    case .backend: return []
    }
  }
}
