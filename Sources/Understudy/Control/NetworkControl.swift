import Contract
import JSON

extension ControlBehaviour {
  static func getNetwork(_ command: Command) -> Reply {
    let sandbox = command.sandbox
    command.backend.settleNetwork(of: sandbox)
    let network = sandbox.network
    var members = [JSON.Member("state", .string(network.position.word))]
    if let outage = network.position.outage { members.append(JSON.Member("as", .string(outage.rawValue))) }
    if let remaining = network.remaining(at: sandbox.now(at: command.backend.realTime)) {
      members.append(JSON.Member("for", .string(DurationText.text(remaining))))
    }
    return Reply(200, Representation(.object(JSON.Object(members))))
  }

  static func patchNetwork(_ command: Command) throws(Problem) -> Reply {
    let (patch, sandbox) = (try Problem.decode(command.call.body, as: .networkPatch), command.sandbox)
    command.backend.settleNetwork(of: sandbox)
    let state = patch["state"]?.string ?? sandbox.network.position.word
    let outage = patch["as"]?.string.flatMap(NetworkSwitch.Outage.init)
    var duration = patch["for"]?.string.flatMap { DurationText($0)?.duration }
    guard outage == nil || state == "offline" else {
      throw .invalid([Violation(.root / "as", "expected none with the state \(state): only offline has a manner")])
    }
    guard duration == nil || state != "online" else {
      throw .invalid([Violation(.root / "for", "expected none with the state online, which lasts until said")])
    }
    guard duration.map({ longestOutage ~= $0 }) ?? true else {
      throw .invalid([Violation(.root / "for", "expected a duration from 1ms to 8760h")])
    }
    let position: NetworkSwitch.Position
    switch state {
    case "held": position = .held
    case "offline":
      let current = patch["state"] == nil ? sandbox.network.position.outage : nil
      position = .offline(outage ?? current ?? .reset)
    default: position = .online
    }
    if patch["state"] == nil, duration == nil {
      duration = sandbox.network.remaining(at: sandbox.now(at: command.backend.realTime))
    }
    try command.backend.switchNetwork(of: sandbox, to: position, for: duration)
    return getNetwork(command)
  }

  private static let longestOutage = Duration.milliseconds(1) ... .seconds(8_760 * 3_600)
}
