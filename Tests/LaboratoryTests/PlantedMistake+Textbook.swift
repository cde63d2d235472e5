import Contract
import Primitives

@testable import Report
@testable import Understudy

/// The mistakes of textbooks: one for each thing that a client must do.
extension PlantedMistake {
  private static let refused = "code=503"

  private static func device(_ client: Client) -> String { "/devices/" + client.time.pick(Habit.devices) }

  private static func installation(_ client: Client) -> String {
    "{\"installationDate\": \"2026-01-\(client.time.integer(10...28))T08:00:00Z\"}"
  }

  /// A number of equal calls.
  private static func times(_ count: Int, _ call: Call) -> [Call] { Array(repeating: call, count: count) }

  static let textbook: [PlantedMistake] = [
    PlantedMistake("retries a read at once", BackoffGrows.id, .fail) { client, then in
      let call = Call(path: device(client), prefer: refused)
      chain(client, times(5, call), wait: { _ in .milliseconds(1) }, then)
    },
    PlantedMistake("waits the same before each retry", BackoffGrows.id, .fail) { client, then in
      let call = Call(path: device(client), prefer: refused)
      chain(client, times(6, call), wait: { _ in .milliseconds(700) }, then)
    },
    PlantedMistake("waits less before each retry", BackoffGrows.id, .fail) { client, then in
      let call = Call(path: device(client), prefer: refused)
      chain(client, times(6, call), wait: { .milliseconds(max(100, 1_600 >> $0)) }, then)
    },
    PlantedMistake("waits the same on two routes in turn", BackoffGrows.id, .fail) { client, then in
      let calls = (0..<10).map { Call(path: $0 % 2 == 0 ? "/devices" : "/activities", prefer: refused) }
      chain(client, calls, wait: { _ in .milliseconds(500) }, then)
    },
    PlantedMistake("waits the same two times before six requests", BackoffJitter.id, .fail) { client, then in
      func turn(_ number: Int) {
        guard number > 0 else { return then() }
        let call = Call(path: "/devices/" + Habit.devices[number % Habit.devices.count], prefer: refused)
        chain(client, [call, call, again(call)], wait: { .milliseconds(250 << $0) }) {
          client.time.after(client.time.milliseconds(2_000...6_000)) { turn(number - 1) }
        }
      }
      turn(6)
    },
    PlantedMistake("ignores Retry-After on a read", RetryAfterHonoured.id, .fail) { client, then in
      let call = Call(path: device(client), prefer: "code=503; retry-after=8s")
      let pause = client.time.milliseconds(300...900)
      chain(client, [call, call], wait: { _ in pause }, then)
    },
    PlantedMistake("goes on elsewhere after a 429", RetryAfterHonoured.id, .warn) { client, then in
      let calls = ["/devices", "/activities", "/users/1", "/users/2", "/rooms.json"].enumerated().map { index, path in
        Call(path: path, prefer: index == 0 ? "code=429; retry-after=20s" : nil)
      }
      let pause = client.time.milliseconds(300...900)
      chain(client, calls, wait: { _ in pause }, then)
    },
    PlantedMistake("tries a read fifteen times", RetryAmplification.id, .fail) { client, then in
      let waits = (1...14).map { client.time.milliseconds($0 * 20...$0 * 60) }
      let call = Call(path: device(client), prefer: refused)
      chain(client, times(15, call), wait: { waits[min($0, 14) - 1] }, then)
    },
    PlantedMistake("repeats a write that is invalid", NoRetryOf4xx.id, .fail) { client, then in
      let body = "{\"installationDate\": 5}"
      let call = Call(method: "PATCH", path: device(client), body: body, prefer: undisturbed)
      let pause = client.time.milliseconds(200...900)
      chain(client, times(5, call), wait: { _ in pause }, then)
    },
    PlantedMistake("repeats a booking of a full room", NoRetryOf4xx.id, .fail) { client, then in
      let call = Call(method: "POST", path: "/book", body: "{\"name\": \"Alexis\"}", prefer: undisturbed)
      let pause = client.time.milliseconds(200...900)
      chain(client, times(6, call), wait: { _ in pause }, then)
    },
    PlantedMistake("repeats a write whose condition fails", NoRetryOf4xx.id, .fail) { client, then in
      let call = Call(
        method: "PATCH", path: device(client), body: installation(client), prefer: undisturbed,
        ifMatch: "\"0000000000000000\"")
      let pause = client.time.milliseconds(200...900)
      chain(client, times(6, call), wait: { _ in pause }, then)
    },
    PlantedMistake("books again after a loss", NoDuplicateEffect.id, .fail) { client, then in
      let call = booking(client, prefer: lost)
      let pause = client.time.milliseconds(300...2_000)
      chain(client, [call, again(call)], wait: { _ in pause }, then)
    },
    PlantedMistake("books again after a loss behind a poll", NoDuplicateEffect.id, .fail) { client, then in
      let call = booking(client, prefer: lost)
      let poll = Call(path: "/rooms.json", prefer: undisturbed, isForced: true)
      chain(client, times(4, poll) + [call, poll, again(call)], wait: { _ in .seconds(1) }, then)
    },
    PlantedMistake("books again after a timeout", NoDuplicateEffect.id, .fail) { client, then in
      let call = booking(client, prefer: "delay=4s")
      client.send(call, timeout: .milliseconds(1_600)) { _ in
        client.send(again(call)) { _ in client.time.after(.seconds(6), then) }
      }
    },
    PlantedMistake("hedges a booking without a key", NoDuplicateEffect.id, .fail) { client, then in
      let call = booking(client, prefer: "delay=2s")
      var open = 2
      let end: (Outcome) -> Void = { _ in
        open -= 1
        if open == 0 { then() }
      }
      client.send(call, then: end)
      client.time.after(.milliseconds(100)) { client.send(call, then: end) }
    },
    PlantedMistake(
      "books again by another path", NoDuplicateEffect.id, .fail, peculiarity: .twoPaths
    ) { client, then in
      let call = booking(client, prefer: lost)
      var second = again(call)
      second.path = "/@booking/book/"
      let pause = client.time.milliseconds(300...2_000)
      chain(client, [call, second], wait: { _ in pause }, then)
    },
    PlantedMistake("uses a fresh key for each attempt", NoDuplicateEffect.id, .fail, play: freshKeys),
    PlantedMistake(
      "uses a fresh key for each attempt, without a name", NoDuplicateEffect.id, .warn, client: nil, play: freshKeys),
    PlantedMistake("forgets a lost change", LostReplyFollowedUp.id, .fail, peculiarity: .settingMethod) {
      client, then in
      let call = Call(method: "PATCH", path: device(client), body: installation(client), prefer: lost)
      client.send(call) { _ in client.time.after(.seconds(45), then) }
    },
    PlantedMistake("forgets a 502", LostReplyFollowedUp.id, .fail) { client, then in
      client.send(booking(client, prefer: "code=502; phase=after")) { _ in client.time.after(.seconds(45), then) }
    },
    PlantedMistake("forgets entity tags", ConditionalRequests.id, .warn) { client, then in
      // Without the preference an overloaded server would send hardly any response with a tag.
      let call = Call(path: device(client), prefer: undisturbed)
      chain(client, times(8, call), wait: { _ in .seconds(7) }, usesCache: false, then)
    },
    PlantedMistake("polls the weather", PollingInterval.id, .fail) { client, then in
      // Without the preference a rate limit of the scenario would answer 429, which another check judges.
      let call = Call(path: "/api/location/2165352/", prefer: undisturbed)
      chain(client, times(9, call), wait: { _ in .seconds(6) }, then)
    },
    PlantedMistake("ignores max-age", Freshness.id, .warn) { client, then in
      chain(client, times(9, Call(path: "/rooms.json")), wait: { _ in .seconds(6) }, then)
    },
    PlantedMistake("repeats twenty requests at one moment", NoStampede.id, .fail) { client, then in
      let time = client.time
      let back = time.now + .seconds(8)
      var open = 20
      for number in 0..<20 {
        let path = "/users/\(number % 10 + 1)?_limit=\(number)"
        time.after(.milliseconds(number * 150)) {
          client.send(Call(path: path, prefer: refused)) { _ in
            time.at(back) {
              client.send(Call(path: path)) { _ in
                open -= 1
                if open == 0 { then() }
              }
            }
          }
        }
      }
    },
    PlantedMistake("waits for ever", TimeoutsSane.id, .warn, bearsOutages: false) { client, then in
      client.send(Call(path: device(client), prefer: "fault=hang"), timeout: .seconds(200)) { _ in then() }
    },
    PlantedMistake("gives up six slow replies", TimeoutsSane.id, .warn) { client, then in
      let path = device(client)
      func turn(_ number: Int) {
        guard number > 0 else { return then() }
        client.send(Call(path: path, prefer: "delay=2s"), timeout: .milliseconds(400)) { _ in
          client.time.after(client.time.milliseconds(4_000...12_000)) { turn(number - 1) }
        }
      }
      turn(6)
    },
    PlantedMistake("writes over a change after reading the record", LostUpdate.id, .warn) { client, then in
      let (path, body) = (device(client), installation(client))
      client.send(Call(path: path, prefer: undisturbed)) { _ in
        let date = "{\"installationDate\": \"2025-05-05T05:05:05Z\"}"
        companion(of: client, 8).send(Call(method: "PATCH", path: path, body: date, prefer: undisturbed)) { _ in
          client.send(Call(method: "PATCH", path: path, body: body, prefer: undisturbed)) { _ in then() }
        }
      }
    },
    PlantedMistake("uses one key for three rooms", KeyReuse.id, .fail) { client, then in
      let calls = ["Ljerka", "Helmold", "Septima"].map {
        Call(method: "POST", path: "/book", body: "{\"name\": \"\($0)\"}", key: "the-key")
      }
      chain(client, calls, wait: { _ in .seconds(3) }, then)
    },
    PlantedMistake("takes a login page for a booking", DamagedReplyTrusted.id, .warn) { client, then in
      client.send(booking(client, prefer: "fault=captive-portal")) { _ in client.time.after(.seconds(45), then) }
    },
    PlantedMistake("gives up at the first refusal", GaveUpAtOnce.id, .warn) { client, then in
      client.send(booking(client, key: client.newKey(), prefer: refused)) { _ in client.time.after(.seconds(70), then) }
    },
    PlantedMistake("keeps the id of an event that was cut", StreamResumed.id, .fail) { client, then in
      // The first event ends in its data, behind its id.
      let cut = Call(path: "/rooms/stream", prefer: #"fault=truncate; at="1/2""#)
      client.follow(cut, for: .seconds(5)) { stream in
        client.time.after(client.time.milliseconds(500...2_000)) {
          let back = Call(path: "/rooms/stream", prefer: undisturbed, lastEventID: stream.ids.last)
          client.follow(back, for: .seconds(5)) { _ in then() }
        }
      }
    },
    PlantedMistake("comes back to a stream without an id", StreamResumed.id, .warn, play: reopening),
    PlantedMistake(
      "comes back to a stream without an id or a name", StreamResumed.id, .warn, client: nil, play: reopening),
  ]

  private static let freshKeys: @Sendable (Client, @escaping () -> Void) -> Void = { client, then in
    let call = booking(client, key: client.newKey(), prefer: lost)
    let pause = client.time.milliseconds(300...2_000)
    chain(client, [call, again(call, key: client.newKey())], wait: { _ in pause }, then)
  }

  private static let reopening: @Sendable (Client, @escaping () -> Void) -> Void = { client, then in
    let cut = Call(path: "/rooms/stream", prefer: "fault=truncate; events=1")
    let pause = client.time.milliseconds(2_000...9_000)
    chain(client, times(4, cut), wait: { _ in pause }, then)
  }
}
