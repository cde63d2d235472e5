import Contract
import Faults
import HTTP1
import Primitives
import Report

extension Backend {
  /// Writes the response of an exchange to `output`, and returns its delivery.
  func write(
    _ answered: Response, of exchange: borrowing Exchange, _ connection: ConnectionOption, to output: inout [UInt8]
  ) -> ResponseDelivery {
    var context = MessageWriter.Context(requestID: exchange.id, isHead: exchange.isHead, connection: connection)
    context.operation = exchange.operation
    context.isOpen = !exchange.isControl
    if exchange.request.has(.origin) { describePage(of: exchange, answered, in: &context) }
    if exchange.plan.isEmpty, exchange.preference == nil {
      context.leavesLongBody = true
      let layout = writer.write(answered, context, at: realTime, to: &output)
      return ResponseDelivery(wholeOf: layout, isDeliverable: !answered.isUndeliverable)
    }
    return writePlanned(answered, of: exchange, context, to: &output)
  }

  /// Describes the web page that a request comes from.
  private func describePage(
    of exchange: borrowing Exchange, _ answered: Response, in context: inout MessageWriter.Context
  ) {
    context.origin = exchange.origin
    context.preflight = Preflight(exchange.request, allowed: answered.fields.first { $0.name == "Allow" }?.value)
  }

  /// Writes a response with the plan's faults in its bytes, and the fields that report them.
  private func writePlanned(
    _ answered: Response, of exchange: borrowing Exchange, _ context: MessageWriter.Context, to output: inout [UInt8]
  ) -> ResponseDelivery {
    let plan = exchange.plan
    var (response, context) = (answered, context)
    context.leavesLongBody = plan.pace == nil && plan.ending == nil
    response.fields += PlannedResponse(plan: plan).fields(measured: tick - exchange.arrival, of: exchange)
    if let fault = plan.fault, let bytes = plan.ending?.message(draw: fault.draw) {
      return ResponseDelivery(plan, MessageWriter.write(bytes, to: &output))
    }
    var isDeliverable = !response.isUndeliverable
    context.isUnstorable = isDeliverable && PlannedResponse(plan: plan).changesContent
    if let fault = plan.fault, let ending = plan.ending, ending.isChunked {
      isDeliverable = exchange.request.version == .http11 && context.hasBody(response)
      if isDeliverable, let body = response.representation {
        context.isChunked = true
        response.representation = Representation(
          ending.chunks(of: body.bytes, draw: fault.draw), body.mediaType, tag: body.tag)
      }
    }
    let layout = writer.write(response, context, at: realTime, to: &output)
    return ResponseDelivery(plan, layout, isDeliverable: isDeliverable)
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
      response.sandbox.journal.update(response.id) { $0.outcome = .peerGone }
    }
  }
}
