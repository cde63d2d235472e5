import Foundation
import LiveTesting
import Testing
// Imported as by an app, without internal declarations.
import Understudy
import UnderstudyClient
import UnderstudyInMemory

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The session of the devices' brief: a real one, which reaches no network.
extension URLSession {
  static let comgy: URLSession = {
    do {
      return URLSession(configuration: try .understudy(scenario: "original", seed: 7))
    } catch {
      preconditionFailure("\(error)")
    }
  }()
}

@Suite("URLSession with a server in memory")
struct URLSessionTests {
  private static func scenario(_ effect: String, phase: String = "before") -> String {
    #"{"name":"x","rules":[{"phase":"\#(phase)","match":{"api":"devices"},"effect":\#(effect)}]}"#
  }

  // MARK: The devices' brief, sentence by sentence

  private struct Meter: Decodable {
    let id: String
    let installationDate: Date?
    let meterPointDescription: String
    let type: String
  }

  /// Repeats a request until the service, which fails for one in ten, answers.
  private func answer(_ request: URLRequest, from session: URLSession) async throws -> (Data, HTTPURLResponse) {
    while true {
      let (data, response) = try await session.data(for: request)
      let answer = try #require(response as? HTTPURLResponse)
      if answer.statusCode != 500 { return (data, answer) }
    }
  }

  @Test(
    "does the devices' brief: the list, and a change that returns no data, at https://comgy.io",
    .timeLimit(.minutes(10)))
  func brief() async throws {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    // «GET https://comgy.io/devices returns a list of all devices on the server.»
    let list = try request("GET", "https://comgy.io/devices")
    let start = ContinuousClock.now
    let (data, response) = try await answer(list, from: .comgy)
    #expect(ContinuousClock.now - start >= .seconds(1), "the brief's server takes one to three seconds")
    #expect(response.statusCode == 200 && response.url == list.url)
    let meters = try decoder.decode([Meter].self, from: data)
    #expect(meters.map(\.id) == ["WWM-0001-12", "CWM-0012-62", "HEA-8127-29", "HEA-5513-39"])
    #expect(meters.map(\.type) == ["warm_water", "cold_water", "heating", "heating"])
    #expect(meters.map { $0.installationDate == nil } == [true, true, true, false])
    #expect(meters.allSatisfy { !$0.meterPointDescription.isEmpty })
    // «PATCH https://comgy.io/devices/{device-id} updates the device with the supplied id. This method returns no data.»
    let change = #"{"id":"WWM-0001-12","installationDate":"2023-07-05T15:13:34Z"}"#
    let (nothing, changed) = try await answer(
      request("PATCH", "https://comgy.io/devices/WWM-0001-12", change), from: .comgy)
    #expect(changed.statusCode == 200 && nothing.isEmpty)
    // «Only values that are present will be updated, but they will be validated and return errors if wrong.»
    let wrong = try request("PATCH", "https://comgy.io/devices/WWM-0001-12", #"{"type":"gas"}"#)
    #expect(try await answer(wrong, from: .comgy).1.statusCode == 400)
    // «If you want the updated devices, you need to get the full list.»
    let updated = try decoder.decode([Meter].self, from: try await answer(list, from: .comgy).0)
    #expect(updated.first?.installationDate == ISO8601DateFormatter().date(from: "2023-07-05T15:13:34Z"))
    #expect(updated.first?.type == "warm_water")
  }

  // MARK: Any app's own code

  @Test("answers data tasks with async and with completion handlers, under the real services' names and localhost")
  func dataTasks() async throws {
    let session = try session()
    for (address, word) in [
      ("https://comgy.io/devices", "WWM-0001-12"), ("https://aircall-job.herokuapp.com/activities", "7834"),
      ("http://private-1e863-house4591.apiary-mock.com/rooms", "Living Room"),
      ("https://www.metaweather.com/api/location/2165352/", "Hong Kong"),
      ("https://jsonplaceholder.typicode.com/users?username=Bret", "Leanne"),
      ("https://wetransfer.github.io/rooms.json", "https://wetransfer.github.io/image/Ljerka"),
      ("http://localhost/@booking/rooms", "Ljerka"),
    ] {
      let answer = try await text(session, request("GET", address))
      #expect(answer.status == 200 && answer.body.contains(word), "\(address): \(answer)")
    }
    let request = try request("GET", "https://comgy.io/devices")
    let (data, response, error) = await withCheckedContinuation { continuation in
      session.dataTask(with: request) { data, response, error in
        continuation.resume(returning: (data, response as? HTTPURLResponse, error))
      }.resume()
    }
    #expect(error == nil && response?.statusCode == 200 && data?.isEmpty == false)
    #expect(response?.value(forHTTPHeaderField: "ETag")?.hasPrefix("\"") == true)
  }

  @Test("answers upload tasks with their content")
  func uploadTasks() async throws {
    let session = try session()
    let content = Data(#"{"name":"Ljerka"}"#.utf8)
    let (data, _) = try await session.upload(for: request("POST", "https://wetransfer.github.io/book"), from: content)
    #expect(String(decoding: data, as: UTF8.self).contains("true"))
    let spots = try await text(session, request("GET", "https://wetransfer.github.io/rooms.json")).body
    #expect(spots.contains(#""spots":42"#))
    var streamed = try request("POST", "https://wetransfer.github.io/book")
    streamed.httpBodyStream = InputStream(data: content)
    #expect(try await text(session, streamed).status == 200)
    #expect(try await text(session, request("GET", "https://wetransfer.github.io/rooms.json")).body.contains(#":41"#))
  }

  @Test("answers download tasks, or says on Linux that it cannot")
  func downloadTasks() async throws {
    let (session, url) = (try session(), try url("https://wetransfer.github.io/image/Ljerka"))
    let (place, error) = await withCheckedContinuation { continuation in
      session.downloadTask(with: url) { place, _, error in
        continuation.resume(returning: (place.flatMap { try? Data(contentsOf: $0) }, error as? URLError))
      }.resume()
    }
    #if canImport(FoundationNetworking)
      #expect(place == nil && error?.localizedDescription.contains("only data and upload tasks") == true)
    #else
      #expect(place?.starts(with: [0x89, 0x50, 0x4E, 0x47]) == true && error == nil)
    #endif
  }

  @Test("has a server of its own for each configuration, with one state for all its sessions")
  func ownServers() async throws {
    let (one, other) = (try URLSessionConfiguration.understudy(), try URLSessionConfiguration.understudy())
    let archive = try request("POST", "http://localhost/activities/7834", #"{"is_archived":true}"#)
    _ = try await URLSession(configuration: one).data(for: archive)
    let read = try request("GET", "http://localhost/activities/7834")
    #expect(try await text(URLSession(configuration: one), read).body.contains(#""is_archived":true"#))
    #expect(try await text(URLSession(configuration: other), read).body.contains(#""is_archived":false"#))
  }

  @Test("sends the session's additional fields, and has the control API with the report card")
  func fieldsAndCard() async throws {
    let configuration = try URLSessionConfiguration.understudy()
    configuration.httpAdditionalHeaders = ["Understudy-Client": "phone"]
    let session = URLSession(configuration: configuration)
    _ = try await text(session, request("POST", "https://jsonplaceholder.typicode.com/users", "name=Ada"))
    let journal = try await text(session, request("GET", "http://localhost/_mock/journal?limit=10")).body
    #expect(journal.contains(#""Understudy-Client":"phone""#) && journal.contains("x-www-form-urlencoded"))
    #expect(try await text(session, request("GET", "http://localhost/_mock/report")).body.contains("checks"))
  }

  @Test("ends a cancelled task at once", .timeLimit(.minutes(10)))
  func cancelled() async throws {
    let configuration = try URLSessionConfiguration.understudy(scenario: Self.scenario(#"{"fault":"hang"}"#))
    let session = URLSession(configuration: configuration)
    let request = try request("GET", "https://comgy.io/devices")
    let task = Task { try await session.data(for: request) }
    try await Task.sleep(for: .milliseconds(50))
    task.cancel()
    await #expect(throws: (any Error).self) { try await task.value }
  }

  // MARK: Faults

  /// The code of the error, or the status of the response.
  private func outcome(_ session: URLSession, _ request: URLRequest) async -> String {
    do {
      let (data, response) = try await session.data(for: request)
      return "\((response as? HTTPURLResponse)?.statusCode ?? 0), \(data.count) bytes"
    } catch {
      return "\((error as? URLError)?.code.rawValue ?? 0)"
    }
  }

  @Test(
    "reports each fault like a session with a connection",
    arguments: [
      "reset", "reset-bare", "empty", "hang", "stall", "truncate", "bad-chunk", "garbage", "captive-portal", "corrupt",
    ])
  func faults(_ fault: String) async throws {
    for phase in ["before", "after"] {
      let backend = try await LiveSandbox()
      var live = URLRequest(url: backend.url.appendingPathComponent("devices/WWM-0001-12"))
      live.httpMethod = "PATCH"
      live.httpBody = Data(#"{"installationDate":null}"#.utf8)
      live.timeoutInterval = 2
      live.setValue("fault=\(fault); phase=\(phase)", forHTTPHeaderField: "Prefer")
      var imitated = live
      imitated.url = try url("https://comgy.io/devices/WWM-0001-12")
      let ephemeral = URLSession(configuration: .ephemeral)
      let (real, other) = (await outcome(ephemeral, live), await outcome(try session(), imitated))
      #expect(real == other, "\(fault), \(phase)")
    }
  }

  @Test(
    "fails offline, loses the network in the midst of a request, and times out by its clock", .timeLimit(.minutes(10)))
  func network() async throws {
    let clock = VirtualClock(advancesBySleeping: false)
    let server = try InMemoryTransport(
      scenario: Self.scenario(#"{"latency":"30s"}"#), clock: ClientClock(clock))
    let session = URLSession(configuration: .understudy(server))
    let request = try request("GET", "https://comgy.io/devices")
    await server.setOnline(false)
    #expect(await outcome(session, request) == "\(URLError.notConnectedToInternet.rawValue)")
    await server.setOnline(true)
    let lost = Task { await outcome(session, request) }
    await clock.waitForSleepers()
    await server.setOnline(false)
    #expect(await lost.value == "\(URLError.networkConnectionLost.rawValue)")
    await server.setOnline(true)
    var impatient = request
    impatient.timeoutInterval = 10
    let late = Task { [impatient] in await outcome(session, impatient) }
    await clock.waitForSleepers()
    clock.advance(by: .seconds(10))
    #expect(await late.value == "\(URLError.timedOut.rawValue)")
    let patient = Task { await outcome(session, request) }
    await clock.waitForSleepers()
    clock.advance(by: .seconds(30))
    #expect(await patient.value.hasPrefix("200"))
    let silent = try UnderstudyClientTests.session(#"{"name":"x","rules":[{"effect":{"offline":"silence"}}]}"#)
    #expect(await outcome(silent, request) == "\(URLError.timedOut.rawValue)")
  }
}
