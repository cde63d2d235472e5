@testable import Understudy

/// The clients of a run: peers of all kinds, and a user of the control API.
extension Simulation {
  /// Adds a peer, and perhaps a second one with the same requests after a silence.
  func visit() {
    let port = timeline.oneIn(5) ? loop.sandboxesWithPorts.last : nil
    guard let cable = loop.admit(sandboxOfPort: port, capacity: timeline.pick([300, 5_000, 1 << 20])) else { return }
    for _ in 0..<timeline.integer(1...5) {
      add(requests.next(to: port == nil && timeline.oneIn(2) ? sandboxes.last : nil), to: cable)
    }
    let leaving: Peer.Leaving =
      timeline.oneIn(2) ? .politely : timeline.pick([.halfClosing, .halfClosing, .resetting, .vanishing])
    Peer(cable, loop, leaving: leaving).begin(pipelined: timeline.oneIn(2))
    guard timeline.oneIn(3) else { return }
    let inner = cable.notify
    var hasRepeated = false
    cable.notify = { [self] in
      inner()
      guard cable.end != nil, !hasRepeated else { return }
      hasRepeated = true
      replay(cable)
    }
  }

  /// Sends the last request again on a new connection, like a transport that lost the response.
  private func replay(_ lost: SimulatedConnection) {
    guard let cable = loop.admit(sandboxOfPort: lost.sandboxOfPort, capacity: 1 << 20) else { return }
    add(timeline.pick(lost.requests), to: cable)
    Peer(cable, loop, leaving: .politely).begin(pipelined: true)
  }

  /// Sends a random request to the control API.
  func meddle() {
    guard let cable = loop.admit(sandboxOfPort: nil, capacity: 1 << 20) else { return }
    add(order(), to: cable)
    Peer(cable, loop, leaving: .politely).begin(pipelined: false)
  }

  private func order() -> SimulatedRequest {
    let sandbox = timeline.oneIn(2) ? sandboxes.last : nil
    switch timeline.integer(0...11) {
    case 0...2:
      let name = "box-\(timeline.integer(1...2))"
      if !sandboxes.contains(name) { sandboxes.append(name) }
      let port = timeline.oneIn(3) ? ", \"port\": 0" : ""
      return requests.control("POST", "/_mock/sandboxes", "{\"name\": \"\(name)\"\(port)}", to: nil)
    case 3: return requests.control("DELETE", "/_mock/sandboxes/\(sandboxes.last ?? "none")", to: nil)
    case 4: return requests.control("POST", "/_mock/reset", to: sandbox)
    case 5...6: return requests.control("PUT", "/_mock/snapshots/one", to: sandbox)
    case 7: return requests.control("POST", "/_mock/snapshots/one/restore", to: sandbox)
    case 8: return requests.control("PATCH", "/_mock/clock", "{\"frozen\": \(timeline.oneIn(2))}", to: sandbox)
    case 9:
      return requests.control("PATCH", "/_mock/clock", "{\"advance\": \"\(timeline.integer(1...9))s\"}", to: sandbox)
    case 10: return requests.control("PUT", "/_mock/scenario", scenarios.next(), to: sandbox)
    default: return requests.control("GET", "/_mock/journal", to: sandbox)
    }
  }

  private func add(_ request: SimulatedRequest, to cable: SimulatedConnection) {
    var request = request
    request.sandbox = request.sandbox ?? cable.sandboxOfPort
    all[request.number] = request
    cable.requests.append(request)
  }
}
