import Contract
import Faults
import Primitives
import Testing

@testable import Report
@testable import Understudy

/// A known wrong of a client, played where its check can see it, and the least verdict that must follow.
struct PlantedMistake: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let check: String
  let verdict: Verdict
  /// The name that its client sends; nil for a client without a name.
  var client: String? = "faulty"
  /// False if an outage would end it.
  var bearsOutages = true
  /// The reason for which its verdict in front of a backend differs from those of its check; nil for most.
  var peculiarity: Peculiarity?
  let play: @Sendable (Client, @escaping () -> Void) -> Void

  /// A property by which a mistake looks otherwise in front of a backend.
  enum Peculiarity: Sendable {
    /// It writes by a method that is safe.
    case safeMethod
    /// It names one record by two paths.
    case twoPaths
    /// The backend reads its whole request before it refuses that.
    case readContent
    /// It forgets a write of which the method says that it sets what its path names.
    case settingMethod
  }

  init(
    _ name: String, _ check: String, _ verdict: Verdict, client: String? = "faulty", bearsOutages: Bool = true,
    peculiarity: Peculiarity? = nil,
    play: @escaping @Sendable (Client, @escaping () -> Void) -> Void
  ) {
    testDescription = name
    self.check = check
    self.verdict = verdict
    self.client = client
    self.bearsOutages = bearsOutages
    self.peculiarity = peculiarity
    self.play = play
  }

  static let all = textbook + writes + keys + waits + reads

  /// Replaces the scenario's faults for a request.
  static let undisturbed = "delay=1ms"
  static let lost = "fault=reset; phase=after"

  static func booking(_ client: Client, key: String? = nil, prefer: String? = nil) -> Call {
    let room = client.time.pick(["Ljerka", "Helmold", "Septima", "Yana"])
    return Call(method: "POST", path: "/book", body: "{\"name\": \"\(room)\"}", key: key, prefer: prefer)
  }

  /// Sends requests one after the other, whatever their outcomes.
  static func chain(
    _ client: Client, _ calls: [Call], wait: @escaping @Sendable (Int) -> Duration, usesCache: Bool = true,
    number: Int = 1, _ then: @escaping () -> Void
  ) {
    guard let call = calls.first else { return then() }
    client.send(call, usesCache: usesCache) { _ in
      guard calls.count > 1 else { return then() }
      client.time.after(wait(number)) {
        chain(client, Array(calls.dropFirst()), wait: wait, usesCache: usesCache, number: number + 1, then)
      }
    }
  }

  /// The same request again, with other preferences.
  static func again(_ call: Call, _ prefer: String? = undisturbed, key: String? = nil) -> Call {
    var next = call
    next.prefer = prefer
    if let key { next.key = key }
    return next
  }

  /// A client beside another one, with an address of its own, and with a name if that has one.
  static func companion(of client: Client, _ number: Int) -> Client {
    Client(
      .init(
        name: client.identity.name.map { "\($0)-\(number)" }, userAgent: "faulty/1", address: "127.0.1.\(number)"),
      client.network, client.library, timeout: .seconds(10))
  }

  /// Plays a part with several clients at once.
  static func together(
    _ count: Int, _ client: Client, then: @escaping () -> Void,
    _ part: @escaping (Client, @escaping () -> Void) -> Void
  ) {
    var open = count
    for number in 1...count {
      part(companion(of: client, number)) {
        open -= 1
        if open == 0 { then() }
      }
    }
  }
}

/// Writes that are sent twice, forgotten or given up.
extension PlantedMistake {
  private static let writes: [PlantedMistake] = [
    PlantedMistake("books again after a cut reply", NoDuplicateEffect.id, .fail) { client, then in
      let call = booking(client, prefer: "fault=empty; phase=after")
      chain(client, [call, again(call)], wait: { _ in .milliseconds(700) }, then)
    },
    PlantedMistake("books again after 502", NoDuplicateEffect.id, .fail) { client, then in
      let call = booking(client, prefer: "code=502; phase=after")
      chain(client, [call, again(call)], wait: { _ in .milliseconds(900) }, then)
    },
    PlantedMistake("books again after 504, three times", NoDuplicateEffect.id, .fail) { client, then in
      let call = booking(client, prefer: "code=504; phase=after")
      chain(client, [call, call, again(call)], wait: { _ in .milliseconds(900) }, then)
    },
    PlantedMistake("books again after 500", NoDuplicateEffect.id, .fail) { client, then in
      let call = booking(client, prefer: "code=500; phase=after")
      chain(client, [call, again(call)], wait: { _ in .seconds(1) }, then)
    },
    PlantedMistake(
      "books by GET, and again after a lost reply", NoDuplicateEffect.id, .fail, peculiarity: .safeMethod
    ) { client, then in
      let call = Call(path: "/book?name=Ljerka", prefer: lost)
      chain(client, [call, again(call)], wait: { _ in .seconds(1) }, then)
    },
    PlantedMistake("books again with its JSON in another order of spaces", NoDuplicateEffect.id, .fail) {
      client, then in
      let call = Call(method: "POST", path: "/book", body: "{\"name\":\"Ljerka\"}", prefer: lost)
      var second = again(call)
      second.body = "{ \"name\" : \"Ljerka\" }"
      chain(client, [call, second], wait: { _ in .seconds(1) }, then)
    },
    PlantedMistake("forgets a lost booking", LostReplyFollowedUp.id, .fail) { client, then in
      client.send(booking(client, prefer: lost)) { _ in client.time.after(.seconds(45), then) }
    },
    PlantedMistake("forgets two lost users", LostReplyFollowedUp.id, .fail) { client, then in
      let call = Call(method: "POST", path: "/users", body: "{\"name\": \"Ada\"}", prefer: "fault=reset; phase=after")
      let second = Call(method: "POST", path: "/users", body: "{\"name\": \"Bob\"}", prefer: "fault=reset; phase=after")
      chain(client, [call, second], wait: { _ in .seconds(1) }) { client.time.after(.seconds(45), then) }
    },
    PlantedMistake("forgets a lost archive beside other reads", LostReplyFollowedUp.id, .fail) { client, then in
      let call = Call(method: "PATCH", path: "/activities/7834", body: "{\"is_archived\": true}", prefer: lost)
      let other = Call(path: "/users/3", prefer: undisturbed)
      chain(client, [call, other, other], wait: { _ in .seconds(9) }) { client.time.after(.seconds(45), then) }
    },
    PlantedMistake("forgets a 504", LostReplyFollowedUp.id, .fail) { client, then in
      client.send(booking(client, prefer: "code=504; phase=after")) { _ in client.time.after(.seconds(45), then) }
    },
    PlantedMistake("forgets a 500 after the commit", GaveUpAtOnce.id, .warn) { client, then in
      client.send(booking(client, key: client.newKey(), prefer: "code=500; phase=after")) { _ in
        client.time.after(.seconds(45), then)
      }
    },
    PlantedMistake("gives a 429 up", GaveUpAtOnce.id, .warn) { client, then in
      client.send(booking(client, key: client.newKey(), prefer: "code=429; retry-after=2s")) { _ in
        client.time.after(.seconds(70), then)
      }
    },
    PlantedMistake("repeats a lost booking after a minute and a half", LostReplyFollowedUp.id, .warn) { client, then in
      let call = booking(client, key: client.newKey(), prefer: lost)
      chain(client, [call, again(call)], wait: { _ in .seconds(90) }, then)
    },
    PlantedMistake("takes a login page for a success", DamagedReplyTrusted.id, .warn) { client, then in
      let call = Call(
        method: "PATCH", path: "/devices/WWM-0001-12", body: "{\"installationDate\": \"2026-05-05T05:05:05Z\"}",
        prefer: "fault=captive-portal")
      client.send(call) { _ in client.time.after(.seconds(45), then) }
    },
    PlantedMistake("sends what is too large again and again", NoRetryOf4xx.id, .fail, peculiarity: .readContent) {
      client, then in
      let body = String(repeating: "x", count: 1_100_000)
      let call = Call(method: "POST", path: "/book", body: body, prefer: undisturbed)
      chain(client, Array(repeating: call, count: 6), wait: { _ in .milliseconds(300) }, then)
    },
    PlantedMistake("sends what is invalid again and again, without a name", NoRetryOf4xx.id, .warn, client: nil) {
      client, then in
      let call = Call(method: "POST", path: "/book", body: "{\"name\": 7}", prefer: undisturbed)
      chain(client, Array(repeating: call, count: 6), wait: { _ in .milliseconds(300) }, then)
    },
    PlantedMistake("writes over a change after reading the list", LostUpdate.id, .warn) { client, then in
      let path = "/devices/CWM-0012-62"
      let mine = "{\"installationDate\": \"2026-07-07T07:07:07Z\"}"
      let theirs = "{\"installationDate\": \"2026-06-06T06:06:06Z\"}"
      client.send(Call(path: "/devices", prefer: undisturbed), usesCache: false) { _ in
        companion(of: client, 7).send(Call(method: "PATCH", path: path, body: theirs, prefer: undisturbed)) { _ in
          client.send(Call(method: "PATCH", path: path, body: mine, prefer: undisturbed)) { _ in then() }
        }
      }
    },
  ]
}

/// Keys that stand for more than one write.
extension PlantedMistake {
  private static let keys: [PlantedMistake] = [
    PlantedMistake("shares one key among two clients", KeyReuse.id, .warn) { client, then in
      let call = booking(client, key: "shared-\(client.newKey())", prefer: undisturbed)
      together(2, client, then: then) { one, done in one.send(call) { _ in done() } }
    },
    PlantedMistake("shares one key among three clients, seconds apart", KeyReuse.id, .fail) { client, then in
      let call = booking(client, key: "shared-\(client.newKey())", prefer: undisturbed)
      var number = 0
      together(3, client, then: then) { one, done in
        number += 1
        one.time.after(.seconds(number * 3)) { one.send(call) { _ in done() } }
      }
    },
    PlantedMistake("uses one constant key, quickly", KeyReuse.id, .warn) { client, then in
      let call = booking(client, key: "constant-\(client.newKey())", prefer: undisturbed)
      chain(client, Array(repeating: call, count: 4), wait: { _ in .milliseconds(400) }, then)
    },
    PlantedMistake("uses one constant key, seconds apart", KeyReuse.id, .fail) { client, then in
      let call = booking(client, key: "constant-\(client.newKey())", prefer: undisturbed)
      chain(client, Array(repeating: call, count: 5), wait: { _ in .seconds(4) }, then)
    },
    PlantedMistake("uses a fresh key after a 500 that followed the commit", NoDuplicateEffect.id, .fail) {
      client, then in
      let call = booking(client, key: client.newKey(), prefer: "code=500; phase=after")
      chain(client, [call, again(call, key: client.newKey())], wait: { _ in .seconds(1) }, then)
    },
    PlantedMistake("uses a fresh key after a 502 that followed the commit", NoDuplicateEffect.id, .fail) {
      client, then in
      let call = booking(client, key: client.newKey(), prefer: "code=502; phase=after")
      chain(client, [call, again(call, key: client.newKey())], wait: { _ in .seconds(1) }, then)
    },
    PlantedMistake("uses a fresh key beside a slow first try", NoDuplicateEffect.id, .fail) { client, then in
      let call = booking(client, key: client.newKey(), prefer: "delay=3s")
      client.send(call, timeout: .milliseconds(1_500)) { _ in
        client.send(again(call, key: client.newKey())) { _ in client.time.after(.seconds(6), then) }
      }
    },
    PlantedMistake("uses a fresh key for each of three attempts", NoDuplicateEffect.id, .fail) { client, then in
      let call = booking(client, key: client.newKey(), prefer: lost)
      let calls = [call, again(call, lost, key: client.newKey()), again(call, key: client.newKey())]
      chain(client, calls, wait: { _ in .milliseconds(1_300) }, then)
    },
    PlantedMistake("uses a fresh key after a stalled reply", NoDuplicateEffect.id, .fail) { client, then in
      let call = booking(client, key: client.newKey(), prefer: "fault=truncate; phase=after")
      chain(client, [call, again(call, key: client.newKey())], wait: { _ in .seconds(1) }, then)
    },
    PlantedMistake("gives two bookings of different rooms one key", KeyReuse.id, .fail) { client, then in
      let key = "both-\(client.newKey())"
      let calls = ["Ljerka", "Helmold"].map {
        Call(method: "POST", path: "/book", body: "{\"name\": \"\($0)\"}", key: key, prefer: undisturbed)
      }
      chain(client, calls, wait: { _ in .seconds(1) }, then)
    },
  ]
}
