import Contract
import Faults
import HTTP1
import Primitives
import Services

/// Decisions about a request that do not depend on its content.
extension Responder {
  /// Returns a problem of the server in the error shape of the API, in the planned coding.
  ///
  /// - Parameter reason: The reason for which a planned fault in the content cannot be applied.
  func refusal(
    _ problem: Problem, _ reason: UndeliverableReason, of exchange: borrowing Exchange, _ application: Application
  ) -> Response {
    let response = rendered(.problem(problem.ofServer), exchange, shape(exchange, application))
    let planned = PlannedResponse(plan: exchange.plan)
    if planned.plan.status != nil || planned.plan.damage != nil { return response.undeliverable(reason) }
    if let obstacle = planned.obstacle(to: response, of: exchange.request) { return response.undeliverable(obstacle) }
    guard planned.plan.coding != nil else { return response }
    return planned.damaged(response) ?? response.undeliverable(.unsuitedContent)
  }

  /// The outcome of a request with `Expect: 100-continue`, as far as its head determines it.
  enum Expectation {
    /// The response depends on the content, so the client must send it.
    case content
    /// The response does not depend on the content.
    case final
    /// The request is refused whatever its content.
    case refused(Response)
  }

  /// Returns the outcome that method, target and fields determine before any content is read (RFC 9110 section 10.1.1).
  func expectation(of exchange: borrowing Exchange, _ application: Application, at now: Instant) -> Expectation {
    if let refusal = refusal(of: exchange, application, hasContent: true) { return .refused(refusal) }
    switch exchange.target {
    case .immediate(let response, _): return response.status >= 400 ? .refused(response) : .final
    case .operation(let route, let arguments):
      let request = requested(route, arguments, by: exchange, at: now)
      return exchange.destination.source.expectation(of: request, exchange, application)
    }
  }

  /// Returns the refusal that depends on neither state nor content.
  // Inlined, because most requests are not refused, and would move an empty response.
  @inline(__always)
  func refusal(of exchange: borrowing Exchange, _ application: Application, hasContent: Bool) -> Response? {
    if exchange.isIncomplete { return exchange.refusal }
    return exchange.destination.source.refusal(of: exchange, application, hasContent: hasContent)
  }
}
