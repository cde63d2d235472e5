import Contract
import JSON

extension Check {
  static let devices = devicesData + devicesPatch + devicesWrites

  private static func device(
    _ id: String, _ sentence: String, from source: String = article("Devices"), needs: Needs = .nothing,
    run: @escaping @Sendable (Bench) throws(Finding) -> Void
  ) -> Check {
    Check("devices-" + id, in: "devices", sentence, from: source, needs: needs, run: run)
  }

  private static let meter = "/devices/WWM-0001-12"

  private static let devicesData = [
    device("seed-data", "The list has the four initial devices in their order.") {
      bench throws(Finding) in
      let list = try bench.get("/devices").expect(200).elements()
      let ids: [JSON] = ["WWM-0001-12", "CWM-0012-62", "HEA-8127-29", "HEA-5513-39"]
      try require(.array(list.values("id")), equals: .array(ids), "the ids")
      let types: [JSON] = ["warm_water", "cold_water", "heating", "heating"]
      try require(.array(list.values("type")), equals: .array(types), "the types")
      if bench.sandbox == nil { return }
      let places: [JSON] = ["Kitchen", "Kitchen", "Hallway", "Hallway"]
      try require(.array(list.values("meterPointDescription")), equals: .array(places), "the places")
    },
    device("key-order", "A device's keys are id, type, meterPointDescription, installationDate, in this order.") {
      bench throws(Finding) in
      for device in try bench.get("/devices").expect(200).elements() {
        let names = device.object?.members.map { JSON.string($0.name) } ?? []
        try require(
          .array(names), equals: ["id", "type", "meterPointDescription", "installationDate"], "the keys")
      }
    },
    device("null-is-written", "A device that is not installed has installationDate: null; the key is never missing.") {
      bench throws(Finding) in
      for device in try bench.get("/devices").expect(200).elements() {
        let found = device.object?.members.contains { $0.name == "installationDate" }
        try require(found == true, "the key installationDate in every device", found: device.text)
      }
    },
    device("date-form", "A date has seconds and no fraction.") { bench throws(Finding) in
      for device in try bench.get("/devices").expect(200).elements() {
        guard let date = device["installationDate"], date != .null else { continue }
        let isFit = date.string.map(Schema.Format.internetDateTime.allows) ?? false
        try require(isFit, Schema.Format.internetDateTime.expectation, found: date.text)
      }
    },
    device("id-is-decoded", "The id in the path is percent-decoded.") { bench throws(Finding) in
      let plain = try bench.get(meter).expect(200).expect(member: "id", "WWM-0001-12")
      try bench.get("/devices/WWM%2D0001%2d12").expect(200).expect(body: plain.text)
    },
  ]

  /// Writes a date, runs `body`, and then restores the previous date.
  private static func withDate(
    _ bench: Bench, _ date: JSON, _ body: () throws(Finding) -> Void
  ) throws(Finding) {
    let before = try bench.get(meter).expect(200).json()["installationDate"] ?? .null
    defer { _ = try? bench.ask("PATCH", meter, body: JSON.object(.init([.init("installationDate", before)])).text) }
    try patch(bench, ["installationDate": date])
    try body()
  }

  @discardableResult
  private static func patch(_ bench: Bench, _ body: JSON, status: Int = 200) throws(Finding) -> Answer {
    try bench.ask("PATCH", meter, body: body.text).expect(status)
  }

  private static func date(_ bench: Bench) throws(Finding) -> JSON? {
    try bench.get(meter).expect(200).json()["installationDate"]
  }

  private static let devicesPatch = [
    device("patch-body-is-empty", "The response to PATCH is 200 with an empty body.") { bench throws(Finding) in
      let answer = try patch(bench, [:])
      try require(answer.body.isEmpty, "an empty body", found: answer.evidence)
      try answer.expect("Content-Length", "0")
    },
    device("patch-is-kept", "GET returns the values that PATCH has written, for the device and in the list.") {
      bench throws(Finding) in
      let wanted: JSON = "2023-07-05T15:13:34Z"
      try withDate(bench, wanted) { () throws(Finding) in
        try require(try date(bench), equals: wanted, "installationDate")
        let listed = try bench.get("/devices").expect(200).elements().first("id", "WWM-0001-12")
        try require(listed["installationDate"], equals: wanted, "installationDate in the list")
      }
    },
    device("patch-as-sent", "A date with an offset is stored and returned as it was sent.") { bench throws(Finding) in
      try withDate(bench, "2023-07-05T17:13:34+02:00") { () throws(Finding) in
        try require(try date(bench), equals: "2023-07-05T17:13:34+02:00", "installationDate")
      }
    },
    device("patch-null-clears", "installationDate: null clears the date.") { bench throws(Finding) in
      try withDate(bench, "2023-07-05T15:13:34Z") { () throws(Finding) in
        try patch(bench, ["installationDate": nil])
        try require(try date(bench), equals: nil, "installationDate")
      }
    },
    device(
      "patch-no-content-type", "A body is read as JSON without a Content-Type, and with any Content-Type.",
      from: "openapi.yaml, patchDevice"
    ) { bench throws(Finding) in
      for (field, day) in [(nil, "01"), ("Content-Type: application/x-www-form-urlencoded", "02")] {
        let wanted = JSON.string("2023-07-\(day)T08:00:00Z")
        let body: JSON = ["id": "WWM-0001-12", "installationDate": wanted]
        try withDate(bench, nil) { () throws(Finding) in
          try bench.exchange("PATCH", meter, field.map { [$0] } ?? [], body: body.text).expect(200)
          try require(try date(bench), equals: wanted, "installationDate")
        }
      }
    },
    device("patch-empty-object", "The response to {} is 200, and nothing changes.") { bench throws(Finding) in
      let before = try bench.get(meter).expect(200).expect(member: "id", "WWM-0001-12")
      try patch(bench, [:])
      try bench.get(meter).expect(200).expect(body: before.text)
    },
    device(
      "patch-refuses",
      "An invalid value, an unknown key, another id, invalid JSON or a missing body gets 400, and nothing is written.",
      needs: .sandbox
    ) { bench throws(Finding) in
      let before = try bench.get(meter).expect(200)
      let bodies = [
        "{\"installationDate\":\"2023-07-05T15:13:34.000Z\"}", "{\"installationDate\":\"yesterday\"}",
        "{\"installationDate\":5}", "{\"type\":\"cold\"}", "{\"meterPointDescription\":\"\"}", "{\"colour\":\"red\"}",
        "{\"id\":\"CWM-0012-62\"}", "{\"id\":\"\"}", "[]", "nonsense", "{\"type\":",
      ]
      for body in bodies {
        let answer = try bench.ask("PATCH", meter, body: body)
        try require(answer.status == 400, "400 to \(body)", found: answer.evidence)
      }
      try bench.ask("PATCH", meter).expect(400)
      try bench.get(meter).expect(200).expect(body: before.text)
    },
    device("patch-all-or-nothing", "If one key is invalid, the valid ones are not written either.", needs: .sandbox) {
      bench throws(Finding) in
      let before = try bench.get(meter).expect(200)
      try patch(bench, ["meterPointDescription": "Attic", "type": "steam"], status: 400)
      try bench.get(meter).expect(200).expect(body: before.text)
    },
    device("patch-checks-first", "Keys are checked before the device is looked up.") { bench throws(Finding) in
      try bench.ask("PATCH", "/devices/no-such-one", body: "{\"type\":\"steam\"}").expect(400)
      try bench.ask("PATCH", "/devices/no-such-one", body: "{}").expect(404)
    },
  ]

  private static let devicesWrites = [
    device(
      "patch-leaves-others", "A PATCH changes only its own device, and only the keys in its body.", needs: .sandbox
    ) {
      bench throws(Finding) in
      let before = try bench.get("/devices").expect(200).elements()
      try patch(bench, ["meterPointDescription": "Attic"])
      let after = try bench.get("/devices").expect(200).elements()
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
      bench throws(Finding) in
      let ids = try bench.get("/devices").expect(200).elements().compactMap { $0["id"]?.string }
      let requests = ids.enumerated().map { place, id in
        (method: "PATCH", path: "/devices/" + id, body: "{\"installationDate\":\"2023-07-0\(place + 1)T08:00:00Z\"}")
      }
      for answer in try bench.atOnce(requests) { try answer.expect(200) }
      let wanted = ids.indices.map { JSON.string("2023-07-0\($0 + 1)T08:00:00Z") }
      let found = try bench.get("/devices").expect(200).elements().values("installationDate")
      try require(.array(found), equals: .array(wanted), "the dates")
    },
    device(
      "etag-follows", "The tags of a device and of the list change with a write, and the old tag does not get 304.",
      from: "RFC 9110 section 8.8.1", needs: .sandbox
    ) { bench throws(Finding) in
      let tags = (try bench.get(meter).field("ETag"), try bench.get("/devices").field("ETag"))
      try patch(bench, ["meterPointDescription": .string("Attic \(bench.fresh)")])
      for (path, tag) in [(meter, tags.0), ("/devices", tags.1)] {
        let answer = try bench.get(path, "If-None-Match: \(tag)").expect(200)
        let now = try answer.field("ETag")
        try require(now != tag, "another ETag than \(tag)", found: answer.describe("ETag"))
      }
    },
    device(
      "if-match", "With If-Match, one of two writers succeeds; the other gets 412 and changes nothing.",
      from: "RFC 9110 section 13.1.1", needs: .sandbox
    ) { bench throws(Finding) in
      let tag = try bench.get(meter).expect(200).field("ETag")
      try bench.ask("PATCH", meter, "If-Match: \(tag)", body: "{\"meterPointDescription\":\"First \(bench.fresh)\"}")
        .expect(200)
      try bench.ask("PATCH", meter, "If-Match: \(tag)", body: "{\"meterPointDescription\":\"Second\"}").expect(412)
      let found = try bench.get(meter).expect(200).json()["meterPointDescription"]
      try require(found, equals: .string("First \(bench.fresh)"), "meterPointDescription")
    },
    device(
      "idempotency-key", "A request with a repeated key is not applied again; with another body it gets 422.",
      from: "openapi.yaml, patchDevice",
      needs: .sandbox
    ) { bench throws(Finding) in
      let key = "Idempotency-Key: \(bench.fresh)"
      let first = "{\"meterPointDescription\":\"First\"}"
      try bench.ask("PATCH", meter, key, body: first).expect(200)
      try patch(bench, ["meterPointDescription": "Second"])
      try bench.ask("PATCH", meter, key, body: first).expect(200)
      let found = try bench.get(meter).expect(200).json()["meterPointDescription"]
      try require(found, equals: "Second", "meterPointDescription after the repeated write:")
      try bench.ask("PATCH", meter, key, body: "{}").expect(422)
    },
  ]
}
