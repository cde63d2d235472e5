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
    let isUnplanned = !exchange.isPlanned && exchange.preference == nil
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
    var context = context
    context.reportsPlan = true
    context.leavesLongBody = exchange.plan.delivery.isWhole
    context.isUnstorable = !answered.isUndeliverable && exchange.plan.message.withholdsResponse
    return writer.write(answered, context, at: now.real, to: &output) { output in
      Self.report(exchange, undeliverable: answered.undeliverableReason, to: &output, at: now)
    }
  }

  /// Appends the fields that report an exchange's plan and preferences.
  ///
  /// - Parameter reason: The reason for which the plan's fault could not be applied, if it could not.
  private static func report(
    _ exchange: borrowing Exchange, undeliverable reason: UndeliverableReason?, to output: inout [UInt8],
    at now: ClockReading
  ) {
    let (message, summary, preference) = (exchange.plan.message, exchange.plan.summary, exchange.preference)
    if let value = message.rateLimitField { ResponseHead.appendField("RateLimit", value, to: &output) }
    if let value = message.rateLimitPolicyField { ResponseHead.appendField("RateLimit-Policy", value, to: &output) }
    if let applied = reason == nil ? preference?.applied : preference?.appliedBesidesFault {
      ResponseHead.appendField(startingWith: Self.preferenceStart, to: &output) { $0 += applied.utf8 }
    }
    let delay = summary.delayTime
    if delay > .zero {
      output += Self.plannedTiming
      delay.appendMilliseconds(to: &output)
      output += Self.actualTiming
      NanosecondDuration(from: exchange.arrival, to: now.tick).appendMilliseconds(to: &output)
      ResponseHead.appendEnd(to: &output)
    }
    ResponseHead.appendField(startingWith: Self.faultStart, to: &output) { output in
      let start = output.count
      summary.appendDescription(undeliverable: reason, to: &output)
      guard let error = preference?.notUnderstood else { return }
      output += ((output.count == start ? "" : "; ") + "not understood: " + error).utf8
    }
  }

  private static let preferenceStart = Array("Preference-Applied: ".utf8)
  private static let faultStart = Array("Understudy-Fault: ".utf8)
  private static let plannedTiming = Array("Server-Timing: plan;dur=".utf8)
  private static let actualTiming = Array(", actual;dur=".utf8)
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
