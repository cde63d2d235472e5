import Contract
import JSON

extension Check {
  static let devices = devicesData + devicesPatch + devicesWrites

  private static func device(
    _ id: String, _ sentence: String, from source: String = article("Devices"), needs: Requirement = .nothing,
    run: @escaping @Sendable (Session) throws(EarlyEnd) -> Void
  ) -> Check {
    Check("devices-" + id, in: "devices", sentence, from: source, needs: needs, run: run)
  }

  private static let meter = "/devices/WWM-0001-12"

  private static let devicesData = [
    device("seed-data", "The list has the four initial devices in their order.") {
      session throws(EarlyEnd) in
      let list = try session.get("/devices").expect(200).elements()
      let ids: [JSONValue] = ["WWM-0001-12", "CWM-0012-62", "HEA-8127-29", "HEA-5513-39"]
      try require(.array(list.values("id")), equals: .array(ids), "the ids")
      let types: [JSONValue] = ["warm_water", "cold_water", "heating", "heating"]
      try require(.array(list.values("type")), equals: .array(types), "the types")
      if session.sandbox == nil { return }
      let locations: [JSONValue] = ["Kitchen", "Kitchen", "Hallway", "Hallway"]
      try require(.array(list.values("meterPointDescription")), equals: .array(locations), "the places")
    },
    device("key-order", "A device's keys are id, type, meterPointDescription, installationDate, in this order.") {
      session throws(EarlyEnd) in
      for device in try session.get("/devices").expect(200).elements() {
        let names = device.object?.members.map { JSONValue.string($0.name) } ?? []
        try require(
          .array(names), equals: ["id", "type", "meterPointDescription", "installationDate"], "the keys")
      }
    },
    device("null-is-written", "A device that is not installed has installationDate: null; the key is never missing.") {
      session throws(EarlyEnd) in
      for device in try session.get("/devices").expect(200).elements() {
        let found = device.object?.members.contains { $0.name == "installationDate" }
        try require(found == true, "the key installationDate in every device", found: device.text)
      }
    },
    device("date-form", "A date has seconds and no fraction.") { session throws(EarlyEnd) in
      for device in try session.get("/devices").expect(200).elements() {
        guard let date = device["installationDate"], date != .null else { continue }
        let isFit = date.string.map(Schema.Format.internetDateTime.allows) ?? false
        try require(isFit, Schema.Format.internetDateTime.expectation, found: date.text)
      }
    },
    device("id-is-decoded", "The id in the path is percent-decoded.") { session throws(EarlyEnd) in
      let plain = try session.get(meter).expect(200).expect(member: "id", "WWM-0001-12")
      try session.get("/devices/WWM%2D0001%2d12").expect(200).expect(body: plain.text)
    },
  ]

  /// Writes a date, runs `body`, and then restores the previous date.
  private static func withDate(
    _ session: Session, _ date: JSONValue, _ body: () throws(EarlyEnd) -> Void
  ) throws(EarlyEnd) {
    let before = try session.get(meter).expect(200).json()["installationDate"] ?? .null
    defer {
      _ = try? session.ask("PATCH", meter, body: JSONValue.object(.init([.init("installationDate", before)])).text)
    }
    try patch(session, ["installationDate": date])
    try body()
  }

  @discardableResult
  private static func patch(_ session: Session, _ body: JSONValue, status: Int = 200) throws(EarlyEnd)
    -> Answer
  {
    try session.ask("PATCH", meter, body: body.text).expect(status)
  }

  private static func date(_ session: Session) throws(EarlyEnd) -> JSONValue? {
    try session.get(meter).expect(200).json()["installationDate"]
  }

  private static let devicesPatch = [
    device("patch-body-is-empty", "The response to PATCH is 200 with an empty body.") { session throws(EarlyEnd) in
      let answer = try patch(session, [:])
      try require(answer.body.isEmpty, "an empty body", found: answer.evidence)
      try answer.expect("Content-Length", "0")
    },
    device("patch-is-kept", "GET returns the values that PATCH has written, for the device and in the list.") {
      session throws(EarlyEnd) in
      let wanted: JSONValue = "2023-07-05T15:13:34Z"
      try withDate(session, wanted) { () throws(EarlyEnd) in
        try require(try date(session), equals: wanted, "installationDate")
        let listed = try session.get("/devices").expect(200).elements().first("id", "WWM-0001-12")
        try require(listed["installationDate"], equals: wanted, "installationDate in the list")
      }
    },
    device("patch-as-sent", "A date with an offset is stored and returned as it was sent.") {
      session throws(EarlyEnd) in
      try withDate(session, "2023-07-05T17:13:34+02:00") { () throws(EarlyEnd) in
        try require(try date(session), equals: "2023-07-05T17:13:34+02:00", "installationDate")
      }
    },
    device("patch-null-clears", "installationDate: null clears the date.") { session throws(EarlyEnd) in
      try withDate(session, "2023-07-05T15:13:34Z") { () throws(EarlyEnd) in
        try patch(session, ["installationDate": nil])
        try require(try date(session), equals: nil, "installationDate")
      }
    },
    device(
      "patch-no-content-type", "A body is read as JSON without a Content-Type, and with any Content-Type.",
      from: "openapi.yaml, patchDevice"
    ) { session throws(EarlyEnd) in
      for (field, day) in [(nil, "01"), ("Content-Type: application/x-www-form-urlencoded", "02")] {
        let wanted = JSONValue.string("2023-07-\(day)T08:00:00Z")
        let body: JSONValue = ["id": "WWM-0001-12", "installationDate": wanted]
        try withDate(session, nil) { () throws(EarlyEnd) in
          try session.exchange("PATCH", meter, field.map { [$0] } ?? [], body: body.text).expect(200)
          try require(try date(session), equals: wanted, "installationDate")
        }
      }
    },
    device("patch-empty-object", "The response to {} is 200, and nothing changes.") { session throws(EarlyEnd) in
      let before = try session.get(meter).expect(200).expect(member: "id", "WWM-0001-12")
      try patch(session, [:])
      try session.get(meter).expect(200).expect(body: before.text)
    },
    device(
      "patch-refuses",
      "An invalid value, an unknown key, another id, invalid JSON or a missing body gets 400, and nothing is written.",
      needs: .sandbox
    ) { session throws(EarlyEnd) in
      let before = try session.get(meter).expect(200)
      let bodies = [
        "{\"installationDate\":\"2023-07-05T15:13:34.000Z\"}", "{\"installationDate\":\"yesterday\"}",
        "{\"installationDate\":5}", "{\"type\":\"cold\"}", "{\"meterPointDescription\":\"\"}", "{\"colour\":\"red\"}",
        "{\"id\":\"CWM-0012-62\"}", "{\"id\":\"\"}", "[]", "nonsense", "{\"type\":",
      ]
      for body in bodies {
        let answer = try session.ask("PATCH", meter, body: body)
        try require(answer.status == 400, "400 to \(body)", found: answer.evidence)
      }
      try session.ask("PATCH", meter).expect(400)
      try session.get(meter).expect(200).expect(body: before.text)
    },
    device("patch-all-or-nothing", "If one key is invalid, the valid ones are not written either.", needs: .sandbox) {
      session throws(EarlyEnd) in
      let before = try session.get(meter).expect(200)
      try patch(session, ["meterPointDescription": "Attic", "type": "steam"], status: 400)
      try session.get(meter).expect(200).expect(body: before.text)
    },
    device("patch-checks-first", "Keys are checked before the device is looked up.") { session throws(EarlyEnd) in
      try session.ask("PATCH", "/devices/no-such-one", body: "{\"type\":\"steam\"}").expect(400)
      try session.ask("PATCH", "/devices/no-such-one", body: "{}").expect(404)
    },
  ]

  private static let devicesWrites = [
    device(
      "patch-leaves-others", "A PATCH changes only its own device, and only the keys in its body.", needs: .sandbox
    ) {
      session throws(EarlyEnd) in
      let before = try session.get("/devices").expect(200).elements()
      try patch(session, ["meterPointDescription": "Attic"])
      let after = try session.get("/devices").expect(200).elements()
      var wanted = before
      wanted[0] = before[0].merging(["meterPointDescription": "Attic"])
      // A merge patch would remove the member whose value is null; the device must keep it.
      if var object = before[0].object {
        object["meterPointDescription"] = "Attic"
        wanted[0] = .object(object)
      }
      try require(.array(after), equals: .array(wanted), "the list")
    },
    device("parallel-writes", "Concurrent writes to different devices are all stored.", needs: .sandbox) {
      session throws(EarlyEnd) in
      let ids = try session.get("/devices").expect(200).elements().compactMap { $0["id"]?.string }
      let requests = ids.enumerated().map { index, id in
        (method: "PATCH", path: "/devices/" + id, body: "{\"installationDate\":\"2023-07-0\(index + 1)T08:00:00Z\"}")
      }
      for answer in try session.atOnce(requests) { try answer.expect(200) }
      let wanted = ids.indices.map { JSONValue.string("2023-07-0\($0 + 1)T08:00:00Z") }
      let found = try session.get("/devices").expect(200).elements().values("installationDate")
      try require(.array(found), equals: .array(wanted), "the dates")
    },
    device(
      "etag-follows", "The tags of a device and of the list change with a write, and the old tag does not get 304.",
      from: "RFC 9110 section 8.8.1", needs: .sandbox
    ) { session throws(EarlyEnd) in
      let tags = (try session.get(meter).field("ETag"), try session.get("/devices").field("ETag"))
      try patch(session, ["meterPointDescription": .string("Attic \(session.fresh)")])
      for (path, tag) in [(meter, tags.0), ("/devices", tags.1)] {
        let answer = try session.get(path, "If-None-Match: \(tag)").expect(200)
        let now = try answer.field("ETag")
        try require(now != tag, "another ETag than \(tag)", found: answer.describe("ETag"))
      }
    },
    device(
      "if-match", "With If-Match, one of two writers succeeds; the other gets 412 and changes nothing.",
      from: "RFC 9110 section 13.1.1", needs: .sandbox
    ) { session throws(EarlyEnd) in
      let tag = try session.get(meter).expect(200).field("ETag")
      try session.ask(
        "PATCH", meter, "If-Match: \(tag)", body: "{\"meterPointDescription\":\"First \(session.fresh)\"}"
      )
      .expect(200)
      try session.ask("PATCH", meter, "If-Match: \(tag)", body: "{\"meterPointDescription\":\"Second\"}").expect(412)
      let found = try session.get(meter).expect(200).json()["meterPointDescription"]
      try require(found, equals: .string("First \(session.fresh)"), "meterPointDescription")
    },
    device(
      "idempotency-key", "A request with a repeated key is not applied again; with another body it gets 422.",
      from: "openapi.yaml, patchDevice",
      needs: .sandbox
    ) { session throws(EarlyEnd) in
      let key = "Idempotency-Key: \(session.fresh)"
      let first = "{\"meterPointDescription\":\"First\"}"
      try session.ask("PATCH", meter, key, body: first).expect(200)
      try patch(session, ["meterPointDescription": "Second"])
      try session.ask("PATCH", meter, key, body: first).expect(200)
      let found = try session.get(meter).expect(200).json()["meterPointDescription"]
      try require(found, equals: "Second", "meterPointDescription after the repeated write:")
      try session.ask("PATCH", meter, key, body: "{}").expect(422)
    },
  ]
}
