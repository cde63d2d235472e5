import Faults
import HTTP1
import Primitives
import Report
import Services

/// The requests to an explored server.
extension Application {
  /// Records a request for `explore`, and returns its plan if the layer has one for it.
  func explore(_ exchange: borrowing Exchange, _ context: RequestContext, in sandbox: Sandbox) -> Plan? {
    guard let depth = exploration?.depth else { return nil }
    sandbox.keepVersions(depth)
    let api = exchange.isToBackend ? nil : context.stream.api
    let plan = exploration?.takePlan(for: context, of: api, in: sandbox.name, ordinal: exchange.ordinal)
    let isFaulty = exchange.has(.prefer) || !sandbox.traffic.manualFaults.isEmpty
    return isFaulty && exploration?.isHolding == true ? nil : plan
  }

  /// Records the end of a request for `explore`.
  ///
  /// - Parameter isApplied: True if it changed the state.
  func endExplored(
    _ exchange: borrowing Exchange, _ response: Response?, isApplied: Bool, _ delivery: Delivery
  ) {
    let content = delivery.transmission?.layout.map { $0.end - $0.body } ?? 0
    exploration?.end(
      exchange.ordinal, status: delivery.transmission?.isHeadWhole == true ? response?.status : nil,
      hasContent: content > 0 || delivery.isContinued, applying: isApplied ? exchange.request.contentHash : nil,
      isDelivered: delivery.outcome != .notDeliverable)
  }
}

extension Request {
  /// The hash of the query and the content, as they were sent.
  fileprivate var contentHash: UInt64 { FNV1a.hash(Array(bytes[query ?? 0..<0]) + [UInt8(ascii: "?")] + bytes[body]) }
}
