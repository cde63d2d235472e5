import Contract
import HTTP1
import Primitives
import Report
import Services

/// The beginning of an exchange: its request's target, its declared operation and its sandbox are found.
extension Application {
  /// Begins an exchange, and resolves the target of its request.
  ///
  /// - Parameters:
  ///   - ordinal: The ordinal of the request among all received requests; 0 if it is not received yet.
  ///   - isIncomplete: True if the request is refused before all of it has been read.
  func addressed(
    _ request: consuming Request, by link: Link, arrival: MonotonicInstant, ordinal: Int, isIncomplete: Bool = false
  ) -> Exchange {
    // Without a method the target is unknown.
    let isKnown = !request.method.isEmpty
    link.begin(section: request.section)
    var address = isKnown ? router.address(of: request, by: link) : .unknown
    var key: String?
    if !address.destination.candidates.isEmpty {
      (address, key) = router.declared(address, request, isIncomplete: isIncomplete || request.isPartial)
    }
    var exchange = Exchange(
      consume request, by: link, to: consume address, arrival: arrival, ordinal: ordinal, isIncomplete: isIncomplete)
    if let key { exchange.declaredKey = Observation.hash(key) }
    if isKnown { findSandbox(&exchange) }
    return exchange
  }

  private func findSandbox(_ exchange: inout Exchange) {
    if exchange.address.origin.isEmpty {
      // HTTP/1.0 allows a request without an authority, and links need one.
      exchange.address = exchange.address.with(
        origin: exchange.request.scheme.rawValue + "://localhost:\(portNumber(of: exchange.link.port))")
    }
    if let sandbox = state.sandboxes[exchange.address.labels.sandbox] { return exchange.sandbox = sandbox }
    // A probe is about the server, so its response does not depend on a sandbox. In front of a backend a host may look like
    // a label and be none.
    let mayBeNone = exchange.traits.contains(.hasForeignNames) && !exchange.has(.understudySandbox)
    if exchange.operation?.semantics.access == .probes || mayBeNone {
      exchange.sandbox = state.sandboxes[nil]
    } else {
      exchange.refusal = .problem(.unknownSandbox(exchange.address.labels.sandbox ?? ""))
    }
  }

  /// Returns the outcome of a request, as far as its head determines it, before its content has arrived.
  func expectation(of request: consuming Request, by link: Link, at now: ClockReading) -> Responder.Expectation {
    let exchange = addressed(request, by: link, arrival: now.tick, ordinal: 0)
    return responder.expectation(of: exchange, self, at: now.real)
  }

  /// Returns true if the content of a request, which is arriving, is passed on as it comes.
  func passesContentOn(_ request: consuming Request, by link: Link, at now: ClockReading) -> Bool {
    addressed(consume request, by: link, arrival: now.tick, ordinal: 0).traits.contains(.passesContentOn)
  }
}
