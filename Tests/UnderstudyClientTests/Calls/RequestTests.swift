import Contract
import Foundation
import Testing

@testable import UnderstudyClient

@Suite("The requests of the typed calls")
struct RequestTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let body: String?
    let response: String
    let status: Int
    let act: @Sendable (BackendClient) async throws -> Void

    init(
      _ line: String, body: String? = nil, response: String, status: Int = 200,
      _ act: @escaping @Sendable (BackendClient) async throws -> Void
    ) {
      testDescription = line
      self.body = body
      self.response = response
      self.status = status
      self.act = act
    }
  }

  static let device =
    #"{"id":"A/1 ü","type":"gas","meterPointDescription":"Kitchen","installationDate":"2023-07-05T17:13:34+02:00"}"#
  static let activity = #"""
    {"id":7834,"created_at":"2018-04-19T09:38:41.000Z","direction":"outbound","from":"A","to":null,"via":"NYC",
    "duration":"120","is_archived":true,"call_type":"missed"}
    """#

  static let rows: [Row] = [
    Row("GET /@ci-42/devices", response: "[]") {
      let devices = try await $0.devices.list()
      #expect(devices.isEmpty)
    },
    Row("GET /@ci-42/devices/A%2F1%20%C3%BC", response: device) {
      let device = try await $0.devices.get("A/1 ü")
      #expect(device.installationDate?.date == SentDate(text: "2023-07-05T15:13:34Z").date)
      #expect(device.installationDate?.text == "2023-07-05T17:13:34+02:00")
    },
    Row(
      "PATCH /@ci-42/devices/W-1", body: #"{"installationDate":"2023-07-05T15:13:34Z"}"#, response: ""
    ) {
      let date = SentDate(Date(timeIntervalSince1970: 1_688_570_014.9))
      try await $0.devices.update("W-1", with: DeviceChange(installationDate: .installed(date)))
    },
    Row("PATCH /@ci-42/devices/W-1", body: #"{"installationDate":null}"#, response: "") {
      try await $0.devices.update("W-1", with: DeviceChange(installationDate: .removed))
    },
    Row("GET /@ci-42/activities", response: "[\(activity)]") {
      let calls = try await $0.activities.list()
      let call = try #require(calls.first)
      #expect(
        call.to == nil && call.seconds == 120 && call.createdAt.date == Date(timeIntervalSince1970: 1_524_130_721))
    },
    Row("POST /@ci-42/activities/7834", body: #"{"is_archived":true}"#, response: activity) {
      let activity = try await $0.activities.setArchived(true, for: 7_834)
      #expect(activity.isArchived)
    },
    Row("GET /@ci-42/reset", response: #"{"message":"done"}"#) { try await $0.activities.reset() },
    Row("GET /@ci-42/living-room/tv/off", response: "true") {
      try await $0.house.turn(Fixture("TV", in: "Living Room"), on: false)
    },
    Row("GET /@ci-42/rooms", response: #"{"rooms":{"B":{"fixtures":["AC"]},"A":{"fixtures":[]}}}"#) {
      let rooms = try await $0.house.rooms()
      #expect(rooms.map(\.name) == ["B", "A"])
    },
    Row("GET /@ci-42/users?address.city_like=South&_sort=name,id&_order=desc,asc&_limit=3", response: "[]") {
      var query = UserQuery()
      query.filters = [.init("address.city", .like, "South")]
      query.sort = [.init("name", descending: true), .init("id")]
      query.limit = 3
      let page = try await $0.users.list(query)
      #expect(page.users.isEmpty)
    },
    Row("POST /@ci-42/users", body: #"{"name":"Ada"}"#, response: #"{"name":"Ada","id":11}"#, status: 201) {
      let user = try await $0.users.create(UserDraft(name: "Ada"))
      #expect(user.id == 11 && user.fields.name == "Ada")
    },
    // The bytes are always the same, so that a request that is built again has the fingerprint of the first.
    Row(
      "POST /@ci-42/users", body: #"{"name":"Ada","phone":"1/2"}"#, response: #"{"name":"Ada","id":11}"#, status: 201
    ) {
      _ = try await $0.users.create(UserDraft(name: "Ada", phone: "1/2"))
    },
    Row("PUT /@ci-42/users/1", body: #"{"name":"Ada"}"#, response: #"{"name":"Ada","id":1}"#) {
      _ = try await $0.users.replace(1, with: UserDraft(name: "Ada"))
    },
    Row("PATCH /@ci-42/users/1", body: #"{"phone":"1"}"#, response: #"{"id":1,"phone":"1"}"#) {
      let user = try await $0.users.update(1, with: UserDraft(phone: "1"))
      #expect(user.fields.phone == "1")
    },
    Row("DELETE /@ci-42/users/1", response: "{}") { try await $0.users.delete(1) },
    Row("GET /@ci-42/rooms.json", response: #"{"rooms":[{"name":"A","spots":0,"thumbnail":"http://x/a"}]}"#) {
      let rooms = try await $0.booking.rooms()
      #expect(rooms.value.first?.isFull == true)
    },
    Row("POST /@ci-42/bookRoom.json", body: #"{"name":"Ljerka"}"#, response: #"{"success":true}"#) {
      try await $0.booking.book("Ljerka", key: "k")
    },
  ]

  @Test("match the contract, below the base URL's path", arguments: rows)
  func requests(_ row: Row) async throws {
    let transport = ScriptedTransport(.response(row.status, row.response))
    try await row.act(try .scripted(transport))
    let request = try #require(await transport.requests.first)
    let target = request.url.absoluteString.replacing("http://test.example", with: "")
    #expect("\(request.method) \(target.replacing("%2C", with: ","))" == row.testDescription)
    #expect(request.body.map { String(decoding: $0, as: UTF8.self) } == row.body)
    #expect(request.headers["Content-Type"] == (row.body == nil ? nil : "application/json"))
    #expect(request.headers["Understudy-Client"].flatMap { UUID(uuidString: $0) } != nil)
    #expect(await transport.requests.count == 1)
  }

  @Test("drop the base URL's trailing slash and its query")
  func baseURLs() throws {
    for base in ["http://a:1/@x", "http://a:1/@x/", "http://a:1/@x?q#f"] {
      let call = Call<Void>("getLocationWeather", of: .house, at: try url(base)) { _ in }
      #expect(call.url.absoluteString == "http://a:1/@x/api/location/2165352/")
    }
    #expect(Endpoints.upstream?.weather.absoluteString == "https://www.metaweather.com")
  }

  @Test(
    "treat a response of another schema as no response",
    arguments: [
      #"{"id":"A","type":"heating","meterPointDescription":"K"}"#,
      #"{"id":"A","type":"heating","meterPointDescription":"K","installation_date":null}"#,
      #"{"id":"A","type":"heating","meterPointDescription":"K","installationDate":""}"#,
      #"{"id":"A","type":7,"meterPointDescription":"K","installationDate":null}"#,
      #"{"id":"B","type":"heating","meterPointDescription":"K","installationDate":null}"#,
      "[\"<!DOCTYPE html><html></html>\"]", "",
    ])
  func unreadable(_ body: String) async throws {
    let transport = ScriptedTransport(.response(200, body))
    let client = try BackendClient.scripted(transport)
    await #expect {
      _ = try await client.devices.get("A")
    } throws: { error in
      guard case RequestError.unanswered(.unreadable) = error else { return false }
      return true
    }
    #expect(await transport.requests.count == 4, "a read is tried again")
  }

  @Test("do not take a captive portal's page for the acknowledgement of a write")
  func captivePortal() async throws {
    let client = try BackendClient.scripted(ScriptedTransport(.response(200, "<html>Welcome</html>")))
    await #expect {
      try await client.devices.update("A", with: DeviceChange(installationDate: .removed))
    } throws: { error in
      guard case RequestError.unknown(.webPage) = error else { return false }
      return true
    }
  }
}
