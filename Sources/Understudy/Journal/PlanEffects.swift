import Faults
import JSON

extension Plan {
  /// The parts of rules that would decide the same again: each has an `effect` and, unless it is `before`, a `phase`.
  ///
  /// The draws of damage are not part of it, nor are the moves of rivals.
  var effects: [JSON] {
    var effects: [JSON] = []
    if delayBefore > .zero { effects.append(Self.part(.before, ["latency": .duration(delayBefore)])) }
    if delayAfter > .zero { effects.append(Self.part(.after, ["latency": .duration(delayAfter)])) }
    if let fault { effects.append(Self.part(fault.phase, fault.fate.effect)) }
    if let pace {
      let members: JSON = ["bytesPerSecond": .int(pace.bytesPerSecond), "chunk": .int(pace.chunk)]
      effects.append(Self.part(.before, ["pace": members]))
    }
    return effects
  }

  private static func part(_ phase: Phase, _ effect: JSON) -> JSON {
    phase == .before ? ["effect": effect] : ["phase": .string(phase.rawValue), "effect": effect]
  }
}

extension Fate {
  /// The effect that a rule would have, as JSON.
  fileprivate var effect: JSON {
    var members = JSON.Object()
    switch self {
    case .status(let reply):
      members["status"] = .int(reply.status)
      if let wait = reply.retryAfter { members["retryAfter"] = .duration(wait) }
      if reply.isRetryAfterDate { members["retryAfterDate"] = true }
      if let body = reply.body { members["body"] = body }
    case .damage(let damage):
      members["fault"] = .string(damage.kind.name)
      if damage.versionsAgo > 0 { members["versions"] = .int(damage.versionsAgo) }
    case .ending(let ending) where !ending.kind.isFault: members[ending.kind.name] = true
    case .ending(let ending):
      members["fault"] = .string(ending.kind.name)
      if case .body(let at) = ending.first { members["at"] = .string(at.text) }
      if let duration = ending.hold?.duration { members["for"] = .duration(duration) }
      if let then = ending.hold?.then, then != .goOn { members["then"] = .string(then.rawValue) }
    }
    return .object(members)
  }
}

extension JSON {
  fileprivate static func duration(_ duration: Duration) -> JSON { .string(DurationText.text(duration)) }
}
