/// The properties of a plan that concern the message, for the responder and the writer.
extension Plan {
  /// The value of `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10), if a limit counted the request.
  package var rateLimitField: String? { field(\.field) }

  /// The value of `RateLimit-Policy`.
  package var rateLimitPolicyField: String? { field(\.policyField) }

  private func field(_ value: (RateLimit.QuotaStatus) -> String) -> String? {
    guard let quotas = contents?.draft.quotas, !quotas.isEmpty else { return nil }
    return quotas.map(value).joined(separator: ", ")
  }

  /// The side of the state change on which the fault occurs; `before` if there is none.
  package var phase: Phase { fault?.phase ?? .before }

  /// A response instead of the API's.
  package var status: StatusResponse? {
    if case .status(let response) = fault?.action { response } else { nil }
  }

  /// A fault in the content.
  package var damage: BodyFault? { if case .damage(let damage) = fault?.action { damage } else { nil } }

  /// True if the bytes of a response are changed.
  package var changesBytes: Bool {
    switch fault?.action {
    case nil, .status: false
    case .damage(let damage): damage.changesContent
    case .ending(let ending): ending.coding != nil
    }
  }

  /// The age of the state to respond from, as a number of changes; 0 if it is the current one.
  package var versionsAgo: Int { damage?.versionsAgo ?? 0 }

  /// True if it damages the content. A stale response is not damaged: it was correct at an earlier time.
  package var isDamaging: Bool { damage?.isStale == false }

  /// True if the client does not get the API's response, so that caches must not store it.
  package var withholdsResponse: Bool {
    switch fault?.action {
    case nil: false
    case .status, .damage: true
    // A silence that ends with the complete response only delays it.
    case .ending(let ending): ending.isFinal
    }
  }

  /// Returns the reason for which the fault cannot be applied to a response, if there is one. Then the journal's
  /// outcome is "not deliverable".
  ///
  /// Only the responder knows whether a body is JSON, which `drift` needs, and whether an older state exists, which
  /// `stale` needs.
  ///
  /// - Parameters:
  ///   - bodyBytes: The size of its body: 0 for HEAD, and with 204 and 304.
  ///   - hasChunks: True if its version of HTTP has the chunked coding.
  ///   - isStream: True if it is a stream of events.
  package func obstacle(bodyBytes: Int, hasChunks: Bool, isStream: Bool) -> UndeliverableReason? {
    guard let action = fault?.action else { return nil }
    if case .ending(let ending) = action, ending.eventLimit != nil, !isStream { return .noStream }
    switch action.kind.needs {
    case .nothing: return nil
    case .body: return bodyBytes > 0 ? nil : .missingBody
    case .chunks: return bodyBytes == 0 ? .missingBody : hasChunks ? nil : .noChunks
    }
  }

  /// Returns the content that the client gets; nil if the fault cannot be applied to it.
  package func changed(_ content: BodyFault.Content) -> BodyFault.Content? {
    guard let fault, let damage else { return content }
    return damage.changed(content, draw: fault.draw)
  }

  /// The coding of the message if it is not HTTP; nil if the message is written as HTTP requires.
  package var coding: Coding? {
    guard let fault, case .ending(let ending) = fault.action else { return nil }
    return switch ending.coding {
    case nil: nil
    case .message(let bytes): .garbage(bytes(fault.draw))
    case .chunks(let bytes): .brokenChunks { bytes($0, fault.draw) }
    }
  }

  /// True if the client gets bytes instead of a message.
  package var isReplaced: Bool { if case .garbage = coding { true } else { false } }

  /// A coding that is not HTTP.
  package enum Coding {
    /// Bytes instead of the message.
    case garbage([UInt8])
    /// Returns a body in a chunked coding with an error.
    case brokenChunks(([UInt8]) -> [UInt8])
  }
}
