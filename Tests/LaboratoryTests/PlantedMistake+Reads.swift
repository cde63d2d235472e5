import Primitives

@testable import Report
@testable import Understudy

/// Waits that do not grow, do not differ, or are not those that were asked for.
extension PlantedMistake {
  private static let refused = "code=503"

  static let waits: [PlantedMistake] = [
    PlantedMistake("waits 1 s and 2 s sharp in twenty clients", BackoffJitter.id, .fail) { client, then in
      let call = Call(path: "/devices/HEA-8127-29", prefer: refused)
      together(20, client, then: then) { one, done in
        chain(one, [call, call, again(call)], wait: { .seconds($0) }, done)
      }
    },
    PlantedMistake("has a fixed wait with one late timer among twelve", BackoffJitter.id, .fail) { client, then in
      func round(_ number: Int) {
        guard number < 12 else { return then() }
        let call = Call(path: "/devices/HEA-5513-39?round=\(number)", prefer: refused)
        chain(client, [call, again(call)], wait: { _ in .milliseconds(number == 5 ? 1_350 : 600) }) {
          client.time.after(.seconds(3)) { round(number + 1) }
        }
      }
      round(0)
    },
    PlantedMistake("comes back as a herd when Retry-After is over", NoStampede.id, .warn) { client, then in
      let call = Call(path: "/devices/CWM-0012-62", prefer: "code=503; retry-after=4s")
      together(20, client, then: then) { one, done in
        chain(one, [call, again(call)], wait: { _ in .milliseconds(4_010) }, done)
      }
    },
    PlantedMistake("ignores Retry-After on a write", RetryAfterHonoured.id, .fail) { client, then in
      let call = booking(client, key: client.newKey(), prefer: "code=503; retry-after=9s")
      chain(client, [call, again(call)], wait: { _ in .seconds(2) }, then)
    },
    PlantedMistake("ignores Retry-After of a 429", RetryAfterHonoured.id, .fail) { client, then in
      let call = Call(path: "/users/4", prefer: "code=429; retry-after=9s")
      chain(client, [call, again(call)], wait: { _ in .seconds(2) }, then)
    },
    PlantedMistake("retries at once, twelve times", RetryAmplification.id, .fail) { client, then in
      let call = Call(path: "/users/5", prefer: refused)
      chain(client, Array(repeating: call, count: 12), wait: { _ in .milliseconds(2) }, then)
    },
    PlantedMistake("retries at once after reset connections", BackoffGrows.id, .fail) { client, then in
      let call = Call(path: "/users/6", prefer: "fault=reset")
      chain(client, Array(repeating: call, count: 6), wait: { _ in .milliseconds(1) }, then)
    },
    PlantedMistake("waits a constant second", BackoffGrows.id, .fail) { client, then in
      let call = Call(path: "/users/7", prefer: refused)
      chain(client, Array(repeating: call, count: 6), wait: { _ in .seconds(1) }, then)
    },
    PlantedMistake("retries a write at a constant half second", BackoffGrows.id, .fail) { client, then in
      let call = booking(client, key: client.newKey(), prefer: refused)
      chain(client, Array(repeating: call, count: 6), wait: { _ in .milliseconds(500) }, then)
    },
    PlantedMistake("halves its waits", BackoffGrows.id, .fail) { client, then in
      let call = Call(path: "/users/8", prefer: refused)
      chain(client, Array(repeating: call, count: 6), wait: { .milliseconds(2_000 >> $0) }, then)
    },
    PlantedMistake("gives up nine slow replies after 0.3 s", TimeoutsSane.id, .warn) { client, then in
      func turn(_ number: Int) {
        guard number < 9 else { return then() }
        client.send(Call(path: "/users/\(number + 1)", prefer: "delay=1500ms"), timeout: .milliseconds(300)) { _ in
          client.time.after(.seconds(4)) { turn(number + 1) }
        }
      }
      turn(0)
    },
    PlantedMistake("waits three minutes for a stalled body", TimeoutsSane.id, .warn, bearsOutages: false) {
      client, then in
      client.send(Call(path: "/devices", prefer: "fault=stall"), timeout: .seconds(180)) { _ in then() }
    },
  ]
}

/// Needless reads.
extension PlantedMistake {
  private static func loop(_ client: Client, _ call: Call, count: Int, usesCache: Bool, _ then: @escaping () -> Void) {
    chain(
      client, Array(repeating: call, count: count), wait: { _ in .milliseconds(4) }, usesCache: usesCache, then)
  }

  static let reads: [PlantedMistake] = [
    PlantedMistake("reads in an endless loop", RequestsInALoop.id, .fail) { client, then in
      loop(client, Call(path: "/devices", prefer: undisturbed), count: 300, usesCache: false, then)
    },
    PlantedMistake("reads in an endless loop with entity tags", RequestsInALoop.id, .fail) { client, then in
      loop(client, Call(path: "/activities", prefer: undisturbed), count: 300, usesCache: true, then)
    },
    PlantedMistake("reads in an endless loop, without a name", RequestsInALoop.id, .warn, client: nil) { client, then in
      loop(client, Call(path: "/users/2", prefer: undisturbed), count: 300, usesCache: true, then)
    },
    PlantedMistake("asks for a missing record in a loop, without an end", NoRetryOf4xx.id, .warn) { client, then in
      let call = Call(path: "/devices/missing-\(client.newKey())", prefer: undisturbed)
      chain(client, Array(repeating: call, count: 12), wait: { _ in .milliseconds(200) }, then)
    },
    PlantedMistake("fetches activities whole each time", ConditionalRequests.id, .warn) { client, then in
      let call = Call(path: "/activities", prefer: undisturbed)
      chain(client, Array(repeating: call, count: 6), wait: { _ in .seconds(8) }, usesCache: false, then)
    },
    PlantedMistake("asks for the cold weather each second", PollingInterval.id, .fail) { client, then in
      let call = Call(path: "/weather/cold", prefer: undisturbed)
      chain(client, Array(repeating: call, count: 8), wait: { _ in .seconds(1) }, then)
    },
  ]
}
