import Foundation
import LiveTesting
import Platform

@testable import Understudy

extension Mutant {
  /// Defects in the responses and the state of the five APIs.
  static let apis = devices + activities + house + users + booking

  private static let devices = [
    answering("wrong status", caughtBy: "patch-device-200") { request, answer in
      if request.method == "PATCH", answer.status == 200 { answer.status = 202 }
    },
    saying("missing field", caughtBy: "list-devices-200", at: "/devices", "\"type\":\"heating\",", ""),
    answering("fraction in a device's date", caughtBy: "devices-date-form") { request, answer in
      guard request.path == "/devices", request.method == "GET" else { return }
      answer.text = answer.text.replacing("Z\"", with: ".000Z\"")
    },
    Mutant(name: "lost write", catcher: "devices-patch-is-kept") { request, forward in
      let isWrite = request.method == "PATCH" && request.path.hasPrefix("/devices/") && request.text.count > 2
      return isWrite ? Message("HTTP/1.1 200 OK") : forward(request)
    },
    saying(
      "keys in another order", caughtBy: "devices-key-order", at: "/devices",
      "\"id\":\"HEA-8127-29\",\"type\":\"heating\"",
      "\"type\":\"heating\",\"id\":\"HEA-8127-29\""),
    saying("null left out", caughtBy: "devices-null-is-written", at: "/devices", ",\"installationDate\":null", ""),
    asking("date made UTC", caughtBy: "devices-patch-as-sent") { request in
      guard request.path.hasPrefix("/devices/") else { return }
      request.text = request.text.replacing("T17:13:34+02:00", with: "T15:13:34Z")
    },
    answering("Content-Type demanded", caughtBy: "devices-patch-no-content-type") { request, answer in
      if request.method == "PATCH", request["Content-Type"] == nil { answer.status = 415 }
    },
    answering("unknown key taken", caughtBy: "devices-patch-refuses") { request, answer in
      if request.text.contains("colour") { answer = Message("HTTP/1.1 200 OK") }
    },
    Mutant(name: "half a write", catcher: "devices-patch-all-or-nothing") { request, forward in
      let answer = forward(request)
      if answer.status == 400, request.text.contains("steam"), request.text.contains("Attic") {
        var half = request
        half.text = "{\"meterPointDescription\":\"Attic\"}"
        _ = forward(half)
      }
      return answer
    },
    asking("If-Match ignored", caughtBy: "devices-if-match") { $0["If-Match"] = nil },
    remembering("stale ETag", caughtBy: "devices-etag-follows") { request, answer, memory in
      guard request.method == "GET", request.path.hasPrefix("/devices"), let tag = answer["ETag"] else { return }
      answer["ETag"] = memory[request.sandbox + request.path] ?? tag
      memory[request.sandbox + request.path] = answer["ETag"]
    },
    asking("wrong device written", caughtBy: "devices-patch-leaves-others") { request in
      guard request.text.contains("Attic") else { return }
      request.startLine = request.startLine.replacing("WWM-0001-12", with: "CWM-0012-62")
    },
  ]

  private static let activities = [
    saying(
      "number for string", caughtBy: "activities-types", at: "/activities", "\"duration\":\"120\"", "\"duration\":120"),
    saying("string for number", caughtBy: "list-activities-200", at: "/activities", "\"id\":7831", "\"id\":\"7831\""),
    saying("no fraction in a call's date", caughtBy: "activities-date-form", at: "/activities", ".000Z", "Z"),
    asking("archived flag ignored", caughtBy: "activities-archive-is-kept") { request in
      if request.path.hasPrefix("/activities/"), request.text.contains(":true") { request.text = "{}" }
    },
    Mutant(name: "reset that resets nothing", catcher: "activities-reset-resets") { request, forward in
      guard request.path == "/reset", request.method == "GET" else { return forward(request) }
      var answer = Message("HTTP/1.1 200 OK", body: "{\"message\":\"done\"}")
      answer["Content-Type"] = "application/json"
      return answer
    },
    answering("archived calls hidden", caughtBy: "activities-archived-are-listed") { request, answer in
      guard request.path == "/activities", request.method == "GET" else { return }
      let calls = answer.text.dropFirst().dropLast().components(separatedBy: "},")
      answer.text = "[" + calls.filter { !$0.contains("\"is_archived\":true") }.joined(separator: "},") + "]"
    },
    answering("error without message", caughtBy: "activities-errors-have-message") { _, answer in
      if answer.status >= 400 { answer.text = answer.text.replacing("\"message\"", with: "\"note\"") }
    },
  ]

  private static let house = [
    answering("true and a line end", caughtBy: "house-switch-bytes") { _, answer in
      if answer.text == "true" { answer.text = "true\n" }
    },
    Mutant(name: "switch without effect", catcher: "house-switch-is-kept") { request, forward in
      var asked = request
      if request.path.hasSuffix("/on") { asked.startLine = request.startLine.replacing("/on ", with: "/off ") }
      return forward(asked)
    },
    Mutant(name: "HEAD that switches", catcher: "house-head-switches-nothing") { request, forward in
      guard request.method == "HEAD", request.path.hasSuffix("/on") else { return forward(request) }
      var asked = request
      asked.startLine = request.startLine.replacing("HEAD ", with: "GET ")
      var answer = forward(asked)
      answer.body = []
      return answer
    },
    saying(
      "hot is not hot", caughtBy: "house-weather-temperatures", at: "/weather/hot", "\"the_temp\":30.0",
      "\"the_temp\":29.0"
    ),
    saying("local time without its zone", caughtBy: "house-weather-dates", at: "/weather", "+08:00\"", "Z\""),
    saying(
      "a weather field is null", caughtBy: "get-weather-cold-200", at: "/weather/cold", "\"the_temp\":20.0",
      "\"the_temp\":null"),
    saying(
      "integer where a double was", caughtBy: "house-weather-doubles", at: "/api/location", "\"the_temp\":20.0",
      "\"the_temp\":20"),
    asking("search that knows cases", caughtBy: "house-search-by-name") { request in
      request.startLine = request.startLine.replacing("query=hong ", with: "query=HONG-no ")
    },
    answering("distance in kilometres", caughtBy: "house-search-by-coordinates") { request, answer in
      guard request.query.hasPrefix("lattlong=22.27") else { return }
      answer.text = answer.text.replacing(/"distance":\d+/, with: "\"distance\":2")
    },
    answering("whole doubles as integers", caughtBy: "get-weather-warm-200") { request, answer in
      guard request.path == "/weather/warm" else { return }
      answer.text = answer.text.replacing(".0,", with: ",")
    },
  ]

  private static let users = [
    remembering("users' write kept", caughtBy: "users-nothing-is-kept") { request, answer, memory in
      if request.method == "DELETE", answer.status == 200 { memory[request.sandbox + request.path] = "gone" }
      if request.method == "GET", memory[request.sandbox + request.path] != nil { answer.status = 404 }
    },
    asking("sorted wrongly", caughtBy: "users-sort") { request in
      request.startLine = request.startLine.replacing("&_order=desc", with: "")
    },
    saying("number in geo", caughtBy: "users-geo-strings", at: "/users", "\"lat\": \"-37.3159\"", "\"lat\": -37.3159"),
    answering("compact users", caughtBy: "users-indentation") { request, answer in
      if request.path == "/users/3" { answer.text = answer.text.replacing("\n", with: "").replacing("  ", with: "") }
    },
    answering("problem where {} should be", caughtBy: "users-id-is-text") { request, answer in
      if request.path.hasPrefix("/users"), answer.status == 404 { answer.text = "{\"status\":404}" }
    },
    answering("users' forms not read", caughtBy: "users-form") { request, answer in
      guard request["Content-Type"]?.hasSuffix("form-urlencoded") == true, answer.status < 300 else { return }
      answer.text = "{\n  \"id\": 11\n}"
    },
    answering("missing user not deleted", caughtBy: "users-write-to-unknown-user") { request, answer in
      guard request.method == "DELETE", request.path == "/users/11" else { return }
      answer.status = 404
    },
    answering("all users 405", caughtBy: "users-collection-is-not-written") { request, answer in
      if request.path == "/users", request.method == "PUT" { answer.status = 405 }
    },
    answering("no Location", caughtBy: "create-user-201") { _, answer in answer["Location"] = nil },
    answering("no X-Total-Count", caughtBy: "users-total-count") { _, answer in answer["X-Total-Count"] = nil },
    answering("relative links", caughtBy: "users-page-links") { _, answer in
      answer["Link"] = answer["Link"]?.replacing("http://", with: "//")
    },
    asking("filters ignored", caughtBy: "users-query-exact") { request in
      request.startLine = request.startLine.replacing("username=", with: "nonsense=")
    },
  ]

  private static let booking = [
    answering("double booking", caughtBy: "booking-never-sold-twice") { request, answer in
      guard answer.status == 409, request.path == "/book" else { return }
      answer.status = 200
      answer.text = "{\"success\":true}"
      answer["Content-Type"] = "application/json"
    },
    Mutant(name: "booked twice", catcher: "booking-counts-down") { request, forward in
      if request.method == "POST", request.path.hasPrefix("/book") { _ = forward(request) }
      return forward(request)
    },
    asking("idempotency key ignored", caughtBy: "booking-idempotency-key") { $0["Idempotency-Key"] = nil },
    remembering("rooms cached for ever", caughtBy: "booking-fresh-rooms") { request, answer, memory in
      guard request.method == "GET", request.path == "/rooms.json", answer.status == 200 else { return }
      answer.text = memory[request.sandbox] ?? answer.text
      memory[request.sandbox] = answer.text
    },
    saying("relative thumbnails", caughtBy: "booking-thumbnails", at: "/rooms.json", "\"http://", "\"//"),
    saying("rooms in another order", caughtBy: "booking-seed-data", at: "/rooms.json", "\"Ljerka\"", "\"Yana \""),
    Mutant(name: "GET that books nothing", catcher: "booking-get-books") { request, forward in
      var asked = request
      if request.method == "GET" { asked.startLine = request.startLine.replacing("?name=Ljerka", with: "") }
      return forward(asked)
    },
    Mutant(name: "HEAD that books", catcher: "booking-head-books-nothing") { request, forward in
      if request.method == "HEAD", request.query == "name=Ljerka" {
        var asked = request
        asked.startLine = request.startLine.replacing("HEAD ", with: "GET ")
        _ = forward(asked)
      }
      return forward(request)
    },
    asking("GET without a name that books", caughtBy: "booking-get-without-name") { request in
      guard request.method == "GET", request.path == "/book", request.query.isEmpty else { return }
      request.startLine = "GET /book?name=Ljerka HTTP/1.1"
    },
    answering("no Cache-Control", caughtBy: "list-booking-rooms-200") { _, answer in answer["Cache-Control"] = nil },
  ]

  /// Returns a defect with its own memory.
  private static func remembering(
    _ name: String, caughtBy catcher: String,
    _ change:
      @escaping @Sendable (_ request: Message, _ answer: inout Message, _ memory: inout [String: String]) -> Void
  ) -> Mutant {
    let memory = Locked<[String: String]>([:])
    return Mutant(name: name, catcher: catcher) { request, forward in
      let answer = forward(request)
      return memory.withLock { memory in
        var changed = answer
        change(request, &changed, &memory)
        return changed
      }
    }
  }
}
