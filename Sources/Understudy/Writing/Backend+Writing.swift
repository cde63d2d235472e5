import Contract
import Faults
import HTTP1
import Primitives
import Report
import Services

extension Backend {
  /// Writes the response of an exchange to `output`.
  func write(
    _ answered: Response, of exchange: borrowing Exchange, _ connection: ConnectionOption, to output: inout [UInt8],
    at now: ClockReading
  ) -> MessageWriter.MessageLayout {
    let isPage = exchange.has(.origin)
    let isUnplanned = exchange.plan.isEmpty && exchange.preference == nil
    let context = MessageWriter.Context(
      operation: exchange.operation, isOpen: !exchange.isControl, origin: isPage ? exchange.origin : nil,
      requestID: exchange.id, isHead: exchange.isHead, preflight: isPage ? preflight(of: exchange, answered) : nil,
      connection: connection, leavesLongBody: isUnplanned)
    guard isUnplanned else { return writePlanned(answered, of: exchange, context, to: &output, at: now) }
    return writer.write(answered, context, at: now.real, to: &output)
  }

  /// Returns the preflight of the web page that a request comes from, if it is one.
  private func preflight(of exchange: borrowing Exchange, _ answered: Response) -> Preflight? {
    Preflight(exchange.request, allowed: answered.fields.first { $0.name == "Allow" }?.value)
  }

  /// Writes a response that the plan has changed already, with the fields that report the plan.
  private func writePlanned(
    _ answered: Response, of exchange: borrowing Exchange, _ context: MessageWriter.Context, to output: inout [UInt8],
    at now: ClockReading
  ) -> MessageWriter.MessageLayout {
    var (response, context) = (answered, context)
    response.fields += fields(reporting: exchange, undeliverable: response.undeliverableReason, at: now)
    context.leavesLongBody = exchange.plan.delivery.isWhole
    context.isUnstorable = !response.isUndeliverable && exchange.plan.message.withholdsResponse
    return writer.write(response, context, at: now.real, to: &output)
  }

  /// Returns the fields that report an exchange's plan and preferences.
  ///
  /// - Parameter reason: The reason for which the plan's fault could not be applied, if it could not.
  private func fields(
    reporting exchange: borrowing Exchange, undeliverable reason: UndeliverableReason?, at now: ClockReading
  ) -> [ResponseField] {
    let (message, summary) = (exchange.plan.message, exchange.plan.summary)
    var fields: [ResponseField] = []
    fields.reserveCapacity(5)
    if let value = message.rateLimitField { fields.append(ResponseField("RateLimit", value)) }
    if let value = message.rateLimitPolicyField { fields.append(ResponseField("RateLimit-Policy", value)) }
    let preference = exchange.preference
    if let applied = reason == nil ? preference?.applied : preference?.appliedBesidesFault {
      fields.append(ResponseField("Preference-Applied", applied))
    }
    let delay = summary.delay
    if delay > .zero {
      var timing: [UInt8] = []
      timing.reserveCapacity(64)
      timing += "plan;dur=".utf8
      Self.appendMilliseconds(delay, to: &timing)
      timing += ", actual;dur=".utf8
      Self.appendMilliseconds(now.tick - exchange.arrival, to: &timing)
      fields.append(ResponseField("Server-Timing", String(decoding: timing, as: UTF8.self)))
    }
    var words = summary.description(undeliverable: reason)
    if let error = preference?.notUnderstood { words += (words.isEmpty ? "" : "; ") + "not understood: " + error }
    if !words.isEmpty { fields.append(ResponseField("Understudy-Fault", words)) }
    return fields
  }

  /// Appends a duration in milliseconds, with three decimals.
  private static func appendMilliseconds(_ duration: Duration, to output: inout [UInt8]) {
    let microseconds = Int(duration.nanoseconds / 1_000)
    Digits.appendDecimal(microseconds / 1_000, to: &output)
    // The digit before the decimals becomes the point.
    let point = output.count
    Digits.appendDecimal(1_000 + microseconds % 1_000, to: &output)
    output[point] = Byte.dot
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
