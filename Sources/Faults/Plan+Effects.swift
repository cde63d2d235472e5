package import JSON

extension Plan {
  /// The effects of the plan as members of rules that would plan the same: each has an `effect` and, if it is `after`,
  /// a `phase`.
  ///
  /// The pseudo-random bits of damaged content and the rivals' actions are not included.
  package var effects: [JSONValue] {
    var effects: [JSONValue] = []
    if delayBefore > .zero { effects.append(Self.part(.before, ["latency": .duration(delayBefore)])) }
    if delayAfter > .zero { effects.append(Self.part(.after, ["latency": .duration(delayAfter)])) }
    if let fault { effects.append(Self.part(fault.phase, fault.action.effect)) }
    if let pace {
      let members: JSONValue = ["bytesPerSecond": .int(pace.bytesPerSecond), "chunk": .int(pace.chunk)]
      effects.append(Self.part(.before, ["pace": members]))
    }
    return effects
  }

  private static func part(_ phase: Phase, _ effect: JSONValue) -> JSONValue {
    phase == .before ? ["effect": effect] : ["phase": .string(phase.rawValue), "effect": effect]
  }
}

extension FaultAction {
  /// The effect of a rule with this fault, as JSON.
  fileprivate var effect: JSONValue {
    var members = JSONValue.Object()
    switch self {
    case .status(let response):
      members["status"] = .int(response.status)
      if let wait = response.retryAfter { members["retryAfter"] = .duration(wait) }
      if response.isRetryAfterDate { members["retryAfterDate"] = true }
      if let body = response.body { members["body"] = body }
    case .damage(let damage):
      members["fault"] = .string(damage.kind.name)
      if damage.versionsAgo > 0 { members["versions"] = .int(damage.versionsAgo) }
    case .ending(let ending) where !ending.kind.isFault:
      members[ending.kind.name] = ending.hold == nil ? true : .string(Outage.silence.rawValue)
    case .ending(let ending):
      members["fault"] = .string(ending.kind.name)
      if case .body(let at) = ending.first { members["at"] = .string(at.text) }
      if let count = ending.eventLimit { members["events"] = .int(count) }
      if let duration = ending.hold?.duration { members["for"] = .duration(duration) }
      if let then = ending.hold?.then, then != .resume { members["then"] = .string(then.rawValue) }
    }
    return .object(members)
  }
}
