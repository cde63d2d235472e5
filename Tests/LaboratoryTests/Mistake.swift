import Contract
import Faults
import Primitives

@testable import Report
@testable import Understudy

/// A mistake of a client, performed where its check can detect it.
enum Mistake: String, CaseIterable {
  case retriesAtOnce, waitsAreConstant, waitsShrink, waitsAreFixedOnTwoRoutes, waitsDoNotDiffer
  case ignoresRetryAfter, ignores429Elsewhere, retriesTooOften
  case repeatsRefusedWrite, repeatsConflict, repeatsFailedPrecondition
  case booksTwiceAfterLoss, booksTwiceAfterTimeout, hedgesWithoutKey, usesFreshKeys, booksTwiceBehindAPoll
  case booksTwiceByAnotherPath, usesFreshKeysWithoutAName
  case forgetsLostReply, forgetsBadGateway
  case forgetsTags, pollsTheWeather, ignoresMaxAge
  case stampedes, waitsForEver, givesUpAtOnce
  case losesAnUpdate, reusesOneKey, trustsALoginPage, givesUpAtFirstRefusal
  case keepsTheIDOfACutEvent, comesBackWithoutAnID

  /// The check that must report the mistake, and its minimum verdict.
  var expected: (check: String, verdict: Verdict) {
    switch self {
    case .retriesAtOnce, .waitsAreConstant, .waitsShrink: ("backoff-grows", .fail)
    case .waitsAreFixedOnTwoRoutes: ("backoff-grows", .fail)
    case .waitsDoNotDiffer: ("backoff-jitter", .fail)
    case .ignoresRetryAfter: ("retry-after-honoured", .fail)
    case .ignores429Elsewhere: ("retry-after-honoured", .warn)
    case .retriesTooOften: ("retry-amplification", .fail)
    case .repeatsRefusedWrite, .repeatsConflict, .repeatsFailedPrecondition: ("no-retry-of-4xx", .fail)
    case .booksTwiceAfterLoss, .booksTwiceAfterTimeout, .hedgesWithoutKey, .usesFreshKeys, .booksTwiceBehindAPoll,
      .booksTwiceByAnotherPath:
      ("no-duplicate-effect", .fail)
    case .usesFreshKeysWithoutAName: ("no-duplicate-effect", .warn)
    case .forgetsLostReply, .forgetsBadGateway: ("lost-reply-followed-up", .fail)
    case .forgetsTags: ("conditional-requests", .warn)
    case .pollsTheWeather: ("polling-interval", .fail)
    case .ignoresMaxAge: ("freshness", .warn)
    case .stampedes: ("no-stampede", .fail)
    case .waitsForEver, .givesUpAtOnce: ("timeouts-sane", .warn)
    case .losesAnUpdate: ("lost-update", .warn)
    case .reusesOneKey: ("key-reuse", .fail)
    case .trustsALoginPage: ("damaged-reply-trusted", .warn)
    case .givesUpAtFirstRefusal: ("gave-up-at-once", .warn)
    case .keepsTheIDOfACutEvent: ("stream-resumed", .fail)
    case .comesBackWithoutAnID: ("stream-resumed", .warn)
    }
  }
}

extension Mistake {
  /// The client that has the mistake.
  var identity: Client.Identity {
    Client.Identity(
      name: self == .usesFreshKeysWithoutAName ? nil : "faulty", userAgent: "faulty/1", address: "127.0.0.66")
  }

  /// Returns true if the mistake can be detected under a scenario: an outage would end a wait for a response.
  func canBeSeen(under scenario: Scenario) -> Bool {
    self != .waitsForEver || !scenario.rules.contains { $0.effect.kind == Offline.kind }
  }

  /// Performs the mistake once, and calls `then` when the client has finished.
  func play(_ client: Client, then: @escaping () -> Void) {
    let time = client.time
    let refused = "code=503"
    let room = time.pick(["Ljerka", "Helmold", "Septima", "Yana"])
    var booking = Call(method: "POST", path: "/book", body: "{\"name\": \"\(room)\"}")
    let device = "/devices/" + time.pick(Habit.devices)
    let date = "{\"installationDate\": \"2026-01-\(time.integer(10...28))T08:00:00Z\"}"
    switch self {
    case .retriesAtOnce:
      chain(client, Array(repeating: Call(path: device, prefer: refused), count: 5), waits: [.milliseconds(1)], then)
    case .waitsAreConstant:
      chain(client, Array(repeating: Call(path: device, prefer: refused), count: 6), waits: [.milliseconds(700)], then)
    case .waitsShrink:
      let waits = [800, 400, 200, 100, 100].map { Duration.milliseconds($0) }
      chain(client, Array(repeating: Call(path: device, prefer: refused), count: 6), waits: waits, then)
    case .waitsAreFixedOnTwoRoutes:
      let calls = (0..<10).map { Call(path: $0 % 2 == 0 ? "/devices" : "/activities", prefer: refused) }
      chain(client, calls, waits: [.milliseconds(500)], then)
    case .waitsDoNotDiffer: chains(client, count: 6, then)
    case .ignoresRetryAfter:
      let call = Call(path: device, prefer: "code=503; retry-after=8s")
      chain(client, [call, call], waits: [time.milliseconds(300...900)], then)
    case .ignores429Elsewhere:
      let calls = ["/devices", "/activities", "/users/1", "/users/2", "/rooms.json"].enumerated().map { index, path in
        Call(path: path, prefer: index == 0 ? "code=429; retry-after=20s" : nil)
      }
      chain(client, calls, waits: [time.milliseconds(300...900)], then)
    case .retriesTooOften:
      let waits = (1...14).map { time.milliseconds($0 * 20...$0 * 60) }
      chain(client, Array(repeating: Call(path: device, prefer: refused), count: 15), waits: waits, then)
    case .repeatsRefusedWrite:
      let call = Call(method: "PATCH", path: device, body: "{\"installationDate\": 5}", prefer: undisturbed)
      chain(client, Array(repeating: call, count: 5), waits: [time.milliseconds(200...900)], then)
    case .repeatsConflict:
      let call = Call(method: "POST", path: "/book", body: "{\"name\": \"Alexis\"}", prefer: undisturbed)
      chain(client, Array(repeating: call, count: 6), waits: [time.milliseconds(200...900)], then)
    case .repeatsFailedPrecondition:
      let call = Call(
        method: "PATCH", path: device, body: date, prefer: undisturbed, ifMatch: "\"0000000000000000\"")
      chain(client, Array(repeating: call, count: 6), waits: [time.milliseconds(200...900)], then)
    case .booksTwiceAfterLoss:
      booking.prefer = "fault=reset; phase=after"
      let again = Call(method: "POST", path: "/book", body: booking.body, prefer: undisturbed)
      chain(client, [booking, again], waits: [time.milliseconds(300...2_000)], then)
    case .booksTwiceBehindAPoll:
      booking.prefer = "fault=reset; phase=after"
      let again = Call(method: "POST", path: "/book", body: booking.body, prefer: undisturbed)
      let poll = Call(path: "/rooms.json", prefer: undisturbed, isForced: true)
      chain(client, [poll, poll, poll, poll, booking, poll, again], waits: [.seconds(1)], then)
    case .booksTwiceAfterTimeout:
      booking.prefer = "delay=4s"
      overlap(
        client, booking, Call(method: "POST", path: "/book", body: booking.body, prefer: undisturbed),
        gap: .milliseconds(1_600), then)
    case .hedgesWithoutKey:
      booking.prefer = "delay=2s"
      hedge(client, booking, then)
    case .booksTwiceByAnotherPath:
      booking.prefer = "fault=reset; phase=after"
      let again = Call(method: "POST", path: "/@booking/book/", body: booking.body, prefer: undisturbed)
      chain(client, [booking, again], waits: [time.milliseconds(300...2_000)], then)
    case .usesFreshKeys, .usesFreshKeysWithoutAName:
      booking.prefer = "fault=reset; phase=after"
      booking.key = client.newKey()
      let again = Call(
        method: "POST", path: "/book", body: booking.body, key: client.newKey(), prefer: undisturbed)
      chain(client, [booking, again], waits: [time.milliseconds(300...2_000)], then)
    case .forgetsLostReply:
      let call = Call(method: "PATCH", path: device, body: date, prefer: "fault=reset; phase=after")
      chain(client, [call], waits: [], { time.after(.seconds(45), then) })
    case .forgetsBadGateway:
      booking.prefer = "code=502; phase=after"
      chain(client, [booking], waits: [], { time.after(.seconds(45), then) })
    case .forgetsTags:
      // Without the preference an overloaded server would send hardly any response with a tag.
      let call = Call(path: device, prefer: undisturbed)
      chain(client, Array(repeating: call, count: 8), waits: [.seconds(7)], usesCache: false, then)
    case .pollsTheWeather:
      // Without the preference a rate limit of the scenario would answer 429, which another check judges.
      let call = Call(path: "/api/location/2165352/", prefer: undisturbed)
      chain(client, Array(repeating: call, count: 9), waits: [.seconds(6)], then)
    case .ignoresMaxAge:
      chain(client, Array(repeating: Call(path: "/rooms.json"), count: 9), waits: [.seconds(6)], then)
    case .stampedes: stampede(client, then)
    case .waitsForEver:
      client.send(Call(path: device, prefer: "fault=hang"), timeout: .seconds(200)) { _ in then() }
    case .givesUpAtOnce: giveUp(client, device, count: 6, then)
    case .losesAnUpdate: loseUpdate(client, device, date, then)
    case .reusesOneKey:
      let calls = ["Ljerka", "Helmold", "Septima"].map {
        Call(method: "POST", path: "/book", body: "{\"name\": \"\($0)\"}", key: "the-key")
      }
      chain(client, calls, waits: [.seconds(3)], then)
    case .trustsALoginPage:
      booking.prefer = "fault=captive-portal"
      chain(client, [booking], waits: [], { time.after(.seconds(45), then) })
    case .givesUpAtFirstRefusal:
      booking.prefer = refused
      booking.key = client.newKey()
      chain(client, [booking], waits: [], { time.after(.seconds(70), then) })
    case .keepsTheIDOfACutEvent:
      // The first event ends in its data, behind its id.
      let cut = Call(path: "/rooms/stream", prefer: #"fault=truncate; at="1/2""#)
      client.follow(cut, for: .seconds(5)) { stream in
        time.after(time.milliseconds(500...2_000)) {
          let back = Call(path: "/rooms/stream", prefer: undisturbed, lastEventID: stream.ids.last)
          client.follow(back, for: .seconds(5)) { _ in then() }
        }
      }
    case .comesBackWithoutAnID:
      let cut = Call(path: "/rooms/stream", prefer: "fault=truncate; events=1")
      chain(client, [cut, cut, cut, cut], waits: [time.milliseconds(2_000...9_000)], then)
    }
  }

  /// The preference that replaces the scenario's faults for this request.
  private var undisturbed: String { "delay=1ms" }

  /// Sends requests one after the other, whatever their outcomes.
  private func chain(
    _ client: Client, _ calls: [Call], waits: [Duration], usesCache: Bool = true, _ then: @escaping () -> Void
  ) {
    guard let call = calls.first else { return then() }
    client.send(call, usesCache: usesCache) { _ in
      guard calls.count > 1 else { return then() }
      client.time.after(waits.first ?? .zero) {
        chain(
          client, Array(calls.dropFirst()), waits: waits.count > 1 ? Array(waits.dropFirst()) : waits,
          usesCache: usesCache, then)
      }
    }
  }

  /// Sends requests that fail twice each, with the same two waits every time.
  private func chains(_ client: Client, count: Int, _ then: @escaping () -> Void) {
    guard count > 0 else { return then() }
    let path = "/devices/" + Habit.devices[count % Habit.devices.count]
    let calls = [
      Call(path: path, prefer: "code=503"), Call(path: path, prefer: "code=503"), Call(path: path, prefer: undisturbed),
    ]
    chain(client, calls, waits: [.milliseconds(500), .seconds(1)]) {
      client.time.after(client.time.milliseconds(2_000...6_000)) { chains(client, count: count - 1, then) }
    }
  }

  /// Repeats a write after a timeout while the first one is still in progress.
  private func overlap(_ client: Client, _ first: Call, _ second: Call, gap: Duration, _ then: @escaping () -> Void) {
    client.send(first, timeout: gap) { _ in
      client.send(second) { _ in client.time.after(.seconds(6), then) }
    }
  }

  private func hedge(_ client: Client, _ call: Call, _ then: @escaping () -> Void) {
    var open = 2
    let end: (Outcome) -> Void = { _ in
      open -= 1
      if open == 0 { then() }
    }
    client.send(call, then: end)
    client.time.after(.milliseconds(100)) { client.send(call, then: end) }
  }

  /// Sends twenty requests that fail at different moments, and repeats all of them at the same moment.
  private func stampede(_ client: Client, _ then: @escaping () -> Void) {
    let time = client.time
    let back = time.now + .seconds(8)
    var open = 20
    for number in 0..<20 {
      let path = "/users/\(number % 10 + 1)?_limit=\(number)"
      time.after(.milliseconds(number * 150)) {
        client.send(Call(path: path, prefer: "code=503")) { _ in
          time.at(back) {
            client.send(Call(path: path)) { _ in
              open -= 1
              if open == 0 { then() }
            }
          }
        }
      }
    }
  }

  private func giveUp(_ client: Client, _ path: String, count: Int, _ then: @escaping () -> Void) {
    guard count > 0 else { return then() }
    client.send(Call(path: path, prefer: "delay=2s"), timeout: .milliseconds(400)) { _ in
      client.time.after(client.time.milliseconds(4_000...12_000)) { giveUp(client, path, count: count - 1, then) }
    }
  }

  /// Reads a record, lets another client change it, and writes over the change.
  private func loseUpdate(_ client: Client, _ path: String, _ body: String, _ then: @escaping () -> Void) {
    let other = Client(
      .init(name: "other", userAgent: "other/1", address: "127.0.0.8"), client.network, client.library,
      timeout: .seconds(10))
    client.send(Call(path: path, prefer: undisturbed)) { _ in
      let date = "{\"installationDate\": \"2025-05-05T05:05:05Z\"}"
      let change = Call(method: "PATCH", path: path, body: date, prefer: undisturbed)
      other.send(change) { _ in
        client.send(Call(method: "PATCH", path: path, body: body, prefer: undisturbed)) { _ in then() }
      }
    }
  }
}
