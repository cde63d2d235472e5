import Contract
import JSON
import Primitives

@testable import Understudy

/// A task of a well-behaved client.
enum Habit: String, CaseIterable {
  case readsLists, installsDevices, archivesCalls, booksWithKeys, booksAndLooks, asksForWeather, pollsSteadily
  case probesAsABreaker, assertsErrors, hedgesWithOneKey, resetsCalls, looksAgainAtNothing
  case hedgesReads, pagesThroughLists
  case followsRooms, switchesLights, createsUsers, changesUsers

  /// Performs the task once, and calls `then` when all of its requests have ended.
  func perform(_ client: Client, then: @escaping () -> Void) {
    let time = client.time
    switch self {
    case .readsLists:
      let path = time.pick(["/devices", "/activities", "/rooms.json", "/users/3"])
      if client.isFresh(path) { return then() }
      client.perform(Call(path: path)) { _ in then() }
    case .installsDevices:
      let path = "/devices/" + time.pick(Self.devices)
      let text = "\"2026-0\(time.integer(1...9))-1\(time.integer(0...9))T08:00:00Z\""
      client.write(
        Call(method: "PATCH", path: path, body: "{\"installationDate\": \(text)}"), lookingAt: path, then: then)
    case .archivesCalls:
      let path = "/activities/" + time.pick(["7834", "7833", "7832"])
      let call = Call(method: "PATCH", path: path, body: "{\"is_archived\": \(time.oneIn(2))}")
      client.write(call, lookingAt: path, then: then)
    case .booksWithKeys:
      let call = Call(method: "POST", path: "/book", body: Self.booking(time), key: client.newKey())
      client.untilKnown(call, then: then)
    case .booksAndLooks:
      let call = Call(method: "POST", path: "/book", body: Self.booking(time))
      client.write(call, lookingAt: "/rooms.json", then: then)
    case .asksForWeather:
      client.perform(Call(path: "/api/location/2165352/")) { _ in time.after(.seconds(61), then) }
    case .pollsSteadily: poll(client, time.milliseconds(4_000...9_000), count: time.integer(3...10), then)
    case .probesAsABreaker: probe(client, count: 0, then)
    case .assertsErrors:
      let call =
        time.oneIn(2)
        ? Call(path: "/devices/none-\(time.integer(1...3))")
        : Call(method: "POST", path: "/book", body: "{\"name\": 5}")
      // The next test begins more than a second later; without that pause the requests would look like a loop.
      repeatAsTest(client, call, count: call.method == "GET" ? 3 : 2) { time.after(.milliseconds(1_200), then) }
    case .hedgesWithOneKey:
      hedge(client, Call(method: "POST", path: "/book", body: Self.booking(time), key: client.newKey()), then)
    case .resetsCalls:
      // This GET has an effect, but a repetition changes nothing further.
      client.write(Call(path: "/reset"), lookingAt: "/activities", then: then)
    case .switchesLights:
      let path = "/bedroom/light1/" + time.pick(["on", "off"])
      client.write(Call(path: path), lookingAt: "/@house/state", then: then)
    case .createsUsers:
      let body = "{\"name\": \"user \(time.integer(1...1_000_000))\"}"
      client.untilKnown(Call(method: "POST", path: "/users", body: body, key: client.newKey()), then: then)
    case .changesUsers:
      let path = "/users/\(time.integer(1...10))"
      let call = Call(method: "PUT", path: path, body: "{\"name\": \"user \(time.integer(1...1_000_000))\"}")
      client.write(call, lookingAt: path, then: then)
    case .hedgesReads: hedgeRead(client, Call(path: "/users/\(time.integer(1...10))"), then)
    case .pagesThroughLists: page(client, 1, then)
    case .followsRooms: followRooms(client, after: nil, count: time.integer(2...6), then)
    case .looksAgainAtNothing: lookAgain(client, "/devices/gone-\(time.integer(1...9))", count: 3, then)
    }
  }

  static let devices = ["WWM-0001-12", "CWM-0012-62", "HEA-8127-29", "HEA-5513-39"]
  static let rooms = ["Ljerka", "Mostafa", "Helmold", "Painter", "Septima", "Alexis"]

  static func booking(_ time: VirtualTime) -> String { "{\"name\": \"\(time.pick(rooms))\"}" }

  private func poll(_ client: Client, _ period: Duration, count: Int, _ then: @escaping () -> Void) {
    guard count > 0 else { return then() }
    client.afterPermission {
      client.send(Call(path: "/devices")) { _ in
        client.time.after(period) { poll(client, period, count: count - 1, then) }
      }
    }
  }

  /// Acts as a circuit breaker: after a failure it lets one request through every five seconds (pybreaker's
  /// `reset_timeout`).
  private func probe(_ client: Client, count: Int, _ then: @escaping () -> Void) {
    client.afterPermission {
      client.send(Call(path: "/activities")) { outcome in
        if !outcome.isTransient || count > 12 { return then() }
        client.time.after(.seconds(5)) { probe(client, count: count + 1, then) }
      }
    }
  }

  /// Acts as a test that provokes the same error response several times in a row.
  private func repeatAsTest(_ client: Client, _ call: Call, count: Int, _ then: @escaping () -> Void) {
    guard count > 0 else { return then() }
    client.write(call, lookingAt: call.method == "GET" ? call.path : "/rooms.json") {
      client.time.after(client.time.milliseconds(5...400)) { repeatAsTest(client, call, count: count - 1, then) }
    }
  }

  /// Acts as a user who requests a missing resource several times.
  private func lookAgain(_ client: Client, _ path: String, count: Int, _ then: @escaping () -> Void) {
    guard count > 0 else { return then() }
    client.perform(Call(path: path)) { _ in
      client.time.after(client.time.milliseconds(2_000...9_000)) { lookAgain(client, path, count: count - 1, then) }
    }
  }

  /// One page after the other, as fast as they come, to the end or to the first that fails for good.
  private func page(_ client: Client, _ number: Int, _ then: @escaping () -> Void) {
    client.perform(Call(path: "/users?_page=\(number)&_limit=2")) { outcome in
      if !outcome.isSuccess || number == 5 { return then() }
      page(client, number + 1, then)
    }
  }

  /// A second read on another connection while the first is slow; the first response wins, and the other is given up.
  private func hedgeRead(_ client: Client, _ call: Call, _ then: @escaping () -> Void) {
    var slow = call
    slow.prefer = "delay=3s"
    client.afterPermission {
      client.send(slow, timeout: .milliseconds(1_300)) { outcome in
        if outcome.status == nil { then() } else { client.time.after(.seconds(1), then) }
      }
      client.time.after(.milliseconds(1_100)) { client.perform(call) { _ in } }
    }
  }

  /// A screen that follows the rooms, and comes back with the id of the last whole event.
  private func followRooms(_ client: Client, after id: String?, count: Int, _ then: @escaping () -> Void) {
    guard count > 0 else { return then() }
    let time = client.time
    client.afterPermission {
      client.follow(Call(path: "/rooms/stream", lastEventID: id), for: time.milliseconds(5_000...40_000)) { stream in
        time.after(time.milliseconds(3_000...12_000)) {
          followRooms(client, after: stream.wholeIDs.last ?? id, count: count - 1, then)
        }
      }
    }
  }

  /// A second request on another connection while the first is slow, under the same key.
  private func hedge(_ client: Client, _ call: Call, _ then: @escaping () -> Void) {
    var isKnown = false
    client.send(call) { outcome in
      isKnown = true
      guard outcome.isTransient else { return then() }
      client.time.after(client.time.milliseconds(2_000...4_000)) { client.untilKnown(call, then: then) }
    }
    client.time.after(.milliseconds(800)) {
      guard !isKnown else { return }
      client.send(call) { _ in }
    }
  }
}

extension Client {
  /// Writes. If the outcome is unknown after the library's attempts, reads the record until a read succeeds.
  func write(_ call: Call, lookingAt path: String, then: @escaping () -> Void) {
    perform(call) { [self] outcome in
      guard outcome.isTransient else { return then() }
      time.after(pause(after: outcome)) { [self] in look(at: path, then: then) }
    }
  }

  private func look(at path: String, then: @escaping () -> Void) {
    perform(Call(path: path, isForced: true)) { [self] outcome in
      guard outcome.isTransient else { return then() }
      time.after(pause(after: outcome)) { [self] in look(at: path, then: then) }
    }
  }

  /// Repeats a write with its key until it gets a response.
  func untilKnown(_ call: Call, then: @escaping () -> Void) {
    perform(call) { [self] outcome in
      guard outcome.isTransient || outcome.isStillUnderWay(call) else { return then() }
      time.after(pause(after: outcome)) { [self] in untilKnown(call, then: then) }
    }
  }

  /// The pause of a user or a background task after a library has given up.
  private func pause(after outcome: Outcome) -> Duration {
    var pause = time.milliseconds(10_000...20_000)
    if case .response(let response) = outcome, let asked = response.retryAfter { pause = max(pause, asked) }
    return pause
  }
}
