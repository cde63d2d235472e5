import Contract
import Faults
import HTTP1
import Primitives
import Report
import Services

extension Application {
  /// Writes the response of an exchange to `output`.
  func write(
    _ answered: Response, of exchange: borrowing Exchange, _ connection: ConnectionOption, to output: inout [UInt8],
    at now: ClockReading
  ) -> MessageLayout {
    let isPage = exchange.has(.origin)
    let isUnplanned = !exchange.isPlanned && exchange.preference == nil
    let allowed = isPage ? answered.fields.first { $0.name == "Allow" }?.value : nil
    let context = MessageWriter.Context(
      operation: exchange.operation, isOpen: !exchange.traits.contains(.isOfDriver),
      origin: isPage ? exchange.origin : nil, requestID: exchange.id, isHead: exchange.isHead,
      preflight: isPage ? Preflight(exchange.request, allowed: allowed) : nil, connection: connection,
      leavesLongBody: isUnplanned)
    guard isUnplanned else { return writePlanned(answered, of: exchange, context, to: &output, at: now) }
    return writer.write(answered, context, at: now.real, to: &output)
  }

  /// Writes a response that the plan has changed already, with the fields that report the plan.
  private func writePlanned(
    _ answered: Response, of exchange: borrowing Exchange, _ context: MessageWriter.Context, to output: inout [UInt8],
    at now: ClockReading
  ) -> MessageLayout {
    if !answered.isUndeliverable, exchange.plan.isReplaced {
      let start = output.count
      output += answered.representation?.bytes ?? []
      return MessageLayout(start: start, fields: start, body: start, end: output.count)
    }
    var context = context
    context.reportsPlan = true
    context.leavesLongBody = exchange.plan.isWhole
    context.isUnstorable = !answered.isUndeliverable && exchange.plan.withholdsResponse
    return writer.write(answered, context, at: now.real, to: &output) { output in
      Self.report(exchange, answered, to: &output, at: now)
    }
  }

  /// Writes the fields that report the plan before the exchange waits, so that less is to do when it is due.
  func preparingPlanFields(of exchange: consuming Exchange) -> Exchange {
    var fields: [UInt8] = []
    // Enough for most plans.
    fields.reserveCapacity(192)
    Self.appendPlanFields(of: exchange, to: &fields)
    exchange.planFields = fields
    return exchange
  }

  /// Appends the fields that report an exchange's plan and preferences.
  private static func report(
    _ exchange: borrowing Exchange, _ answered: borrowing Response, to output: inout [UInt8], at now: ClockReading
  ) {
    let (reason, change) = (answered.undeliverableReason, answered.bodyChange)
    if reason == nil, change == nil, let fields = exchange.planFields {
      output += fields
    } else {
      appendPlanFields(of: exchange, undeliverable: reason, change: change, to: &output)
    }
    guard exchange.plan.delayTime > .zero else { return }
    NanosecondDuration(from: exchange.arrival, to: now.tick).appendMilliseconds(to: &output)
    ResponseHead.appendEnd(to: &output)
  }

  /// Appends the fields that report an exchange's plan and preferences, up to the time that its response took, if it was
  /// delayed.
  ///
  /// - Parameters:
  ///   - reason: The reason for which the plan's fault could not be applied, if it could not.
  ///   - change: The change that the fault made in the body.
  private static func appendPlanFields(
    of exchange: borrowing Exchange, undeliverable reason: UndeliverableReason? = nil, change: String? = nil,
    to output: inout [UInt8]
  ) {
    let (plan, preference) = (exchange.plan, exchange.preference)
    if let value = plan.rateLimitField { ResponseHead.appendField("RateLimit", value, to: &output) }
    if let value = plan.rateLimitPolicyField { ResponseHead.appendField("RateLimit-Policy", value, to: &output) }
    if let applied = reason == nil ? preference?.applied : preference?.appliedBesidesFault {
      ResponseHead.appendField(startingWith: Self.preferenceStart, to: &output) { $0 += applied.utf8 }
    }
    ResponseHead.appendField(startingWith: Self.faultStart, to: &output) { output in
      let start = output.count
      plan.appendDescription(undeliverable: reason, change: change, to: &output)
      guard let error = preference?.notUnderstood else { return }
      output += ((output.count == start ? "" : "; ") + "not understood: " + error).utf8
    }
    let delay = plan.delayTime
    guard delay > .zero else { return }
    output += Self.plannedTiming
    delay.appendMilliseconds(to: &output)
    output += Self.actualTiming
  }

  private static let preferenceStart = Array("Preference-Applied: ".utf8)
  private static let faultStart = Array("Understudy-Fault: ".utf8)
  private static let plannedTiming = Array("Server-Timing: plan;dur=".utf8)
  private static let actualTiming = Array(", actual;dur=".utf8)
}

extension Application {
  /// A released response that is cut short if the peer leaves before it is sent.
  struct Unsent {
    let sandbox: Sandbox
    /// The id of its exchange in the sandbox's journal.
    let id: Int
    /// Its end in the output.
    let end: Int

    /// Creates the response of an exchange; nil if that has no entry.
    init?(of exchange: borrowing Exchange, end: Int) {
      guard let sandbox = exchange.sandbox, exchange.id > 0 else { return nil }
      self.sandbox = sandbox
      id = exchange.id
      self.end = end
    }
  }

  /// Records that responses were not sent completely.
  func recordUnsent(_ responses: [Unsent], _ outcome: ExchangeOutcome) {
    for response in responses
    where response.sandbox.traffic.journal.entry(response.id)?.outcome == .sent {
      response.sandbox.traffic.exchangeLog.journal.update(response.id) { $0.outcome = outcome }
    }
  }
}
