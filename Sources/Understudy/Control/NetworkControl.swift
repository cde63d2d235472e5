import Contract
import ControlAPI
import Faults
import JSON
import Services

extension ControlService {
  static func getNetwork(_ command: Command) -> Response {
    let sandbox = command.sandbox
    command.application.state.updateNetwork(of: sandbox)
    let network = sandbox.traffic.network
    var members = [JSONValue.Member("state", .string(network.position.word))]
    if let outage = network.position.outage { members.append(JSONValue.Member("as", .string(outage.rawValue))) }
    if let remaining = network.remaining(at: sandbox.now(at: command.application.realTime)) {
      members.append(JSONValue.Member("for", .string(DurationText.text(remaining))))
    }
    return Response(200, Representation(.object(JSONValue.Object(members))))
  }

  static func patchNetwork(_ command: Command) throws(Problem) -> Performance {
    try command.reading(as: .networkPatch) { patch throws(Problem) in try patchNetwork(command, with: patch) }
  }

  private static func patchNetwork(_ command: Command, with patch: JSONValue) throws(Problem) -> Response {
    let sandbox = command.sandbox
    command.application.state.updateNetwork(of: sandbox)
    let state = patch["state"]?.string ?? sandbox.traffic.network.position.word
    let outage = patch["as"]?.string.flatMap(Outage.init)
    var duration = patch["for"]?.string.flatMap { DurationText($0)?.duration }
    guard outage == nil || state == "offline" else {
      throw .networkConflict("The state is \(state), and `as` says how a client meets the state offline.")
    }
    guard duration == nil || state != "online" else {
      throw .networkConflict("The state is online, which has no end, so `for` has no meaning.")
    }
    guard duration.map({ longestOutage ~= $0 }) ?? true else {
      throw .invalid([ValidationError(.root / "for", "expected a duration from 1ms to 8760h")])
    }
    let position: NetworkSwitch.Position
    switch state {
    case "held": position = .held
    case "offline":
      let current = patch["state"] == nil ? sandbox.traffic.network.position.outage : nil
      position = .offline(outage ?? current ?? .reset)
    default: position = .online
    }
    if patch["state"] == nil, duration == nil {
      duration = sandbox.traffic.network.remaining(at: sandbox.now(at: command.application.realTime))
    }
    try command.application.state.switchNetwork(of: sandbox, to: position, for: duration)
    return getNetwork(command)
  }

  private static let longestOutage = Duration.milliseconds(1) ... .seconds(8_760 * 3_600)
}
