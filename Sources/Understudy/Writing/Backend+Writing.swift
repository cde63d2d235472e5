import Contract
import Faults
import HTTP1
import Primitives
import Report
import Services

extension Backend {
  /// Writes the response of an exchange to `output`, and returns its delivery.
  func write(
    _ answered: Response, of exchange: borrowing Exchange, _ connection: ConnectionOption, to output: inout [UInt8]
  ) -> ResponseDelivery {
    let isPage = exchange.request.has(.origin)
    let isUnplanned = exchange.plan.isEmpty && exchange.preference == nil
    let context = MessageWriter.Context(
      operation: exchange.operation, isOpen: !exchange.isControl, origin: isPage ? exchange.origin : nil,
      requestID: exchange.id, isHead: exchange.isHead, preflight: isPage ? preflight(of: exchange, answered) : nil,
      connection: connection, leavesLongBody: isUnplanned)
    guard isUnplanned else { return writePlanned(answered, of: exchange, context, to: &output) }
    let layout = writer.write(answered, context, at: realTime, to: &output)
    return ResponseDelivery(wholeOf: layout, isDeliverable: !answered.isUndeliverable)
  }

  /// Returns the preflight of the web page that a request comes from, if it is one.
  private func preflight(of exchange: borrowing Exchange, _ answered: Response) -> Preflight? {
    Preflight(exchange.request, allowed: answered.fields.first { $0.name == "Allow" }?.value)
  }

  /// Writes a response that the plan has changed already, with the fields that report the plan.
  private func writePlanned(
    _ answered: Response, of exchange: borrowing Exchange, _ context: MessageWriter.Context, to output: inout [UInt8]
  ) -> ResponseDelivery {
    let delivery = exchange.plan.delivery
    var (response, context) = (answered, context)
    response.fields += fields(reporting: exchange, undeliverable: response.undeliverableReason)
    context.leavesLongBody = delivery.isWhole
    context.isUnstorable = !response.isUndeliverable && exchange.plan.message.withholdsResponse
    let layout = writer.write(response, context, at: realTime, to: &output)
    return ResponseDelivery(delivery, layout, isDeliverable: !response.isUndeliverable)
  }

  /// Returns the fields that report an exchange's plan and preferences.
  ///
  /// - Parameter reason: The reason for which the plan's fault could not be applied, if it could not.
  private func fields(
    reporting exchange: borrowing Exchange, undeliverable reason: UndeliverableReason?
  ) -> [ResponseField] {
    let (message, summary) = (exchange.plan.message, exchange.plan.summary)
    var fields: [ResponseField] = []
    if let value = message.rateLimitField { fields.append(ResponseField("RateLimit", value)) }
    if let value = message.rateLimitPolicyField { fields.append(ResponseField("RateLimit-Policy", value)) }
    let preference = exchange.preference
    if let applied = reason == nil ? preference?.applied : preference?.appliedBesidesFault {
      fields.append(ResponseField("Preference-Applied", applied))
    }
    if summary.delay > .zero {
      let measured = Self.milliseconds(tick - exchange.arrival)
      let timing = "plan;dur=\(Self.milliseconds(summary.delay)), actual;dur=\(measured)"
      fields.append(ResponseField("Server-Timing", timing))
    }
    let planned = summary.description(undeliverable: reason)
    let words = [planned, preference?.notUnderstood.map { "not understood: \($0)" } ?? ""].filter { !$0.isEmpty }
    if !words.isEmpty { fields.append(ResponseField("Understudy-Fault", words.joined(separator: "; "))) }
    return fields
  }

  private static func milliseconds(_ duration: Duration) -> String {
    let microseconds = duration.nanoseconds / 1_000
    return "\(microseconds / 1_000).\(Timestamp.padded(Int(microseconds % 1_000), 3))"
  }
}

extension Backend {
  /// A response that may not be sent completely.
  struct Unsent {
    let sandbox: Sandbox
    /// The id of its exchange in the sandbox's journal.
    let id: Int
    /// Its end in the output.
    let end: Int
  }

  /// Records that responses were not sent completely.
  func recordUnsent(_ responses: [Unsent]) {
    for response in responses where response.sandbox.journal.entry(response.id)?.outcome == .sent {
      response.sandbox.exchangeLog.journal.update(response.id) { $0.outcome = .peerGone }
    }
  }
}
