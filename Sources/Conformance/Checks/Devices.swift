import Contract
import JSON

extension Row {
  static let devices = devicesRead + devicesPatched + devicesWrittenTogether

  private static let meter = "/devices/WWM-0001-12"
  private static let date = Step.Place(
    list: "/devices", id: "WWM-0001-12", member: "installationDate", method: "PATCH", path: meter)

  /// The date of the meter is this one, in the list and on its own.
  private static func dated(_ date: JSONValue) -> Step {
    .several([
      .get("/devices", .record("WWM-0001-12", "installationDate", date)),
      .ours(.get(meter, .value("/installationDate", date))),
    ])
  }

  private static let devicesRead = [
    Row(
      "seed-data", .service, "The list has the four initial devices in their order.",
      .get(
        "/devices",
        .column("id", ["WWM-0001-12", "CWM-0012-62", "HEA-8127-29", "HEA-5513-39"]),
        .column("type", ["warm_water", "cold_water", "heating", "heating"]),
        .initially(.column("meterPointDescription", ["Kitchen", "Kitchen", "Hallway", "Hallway"])))),
    Row(
      "key-order", .service, "A device's keys are id, type, meterPointDescription, installationDate, in this order.",
      .get("/devices", .keys(["id", "type", "meterPointDescription", "installationDate"]))),
    Row(
      "null-is-written", .service,
      "A device that is not installed has installationDate: null; the key is never missing.",
      .get("/devices", .each("installationDate", .any))),
    Row(
      "date-form", .service, "A date has seconds and no fraction.",
      .get("/devices", .each("installationDate", .string(format: .internetDateTime).orNull))),
    Row(
      "id-is-decoded", .service, "The id in the path is percent-decoded.",
      .restoring(
        date,
        .send("PATCH", "/devices/WWM%2D0001%2d12", #"{"installationDate":"2023-07-05T15:13:34Z"}"#),
        .get("/devices", .record("WWM-0001-12", "installationDate", "2023-07-05T15:13:34Z")),
        .ours(.get("/devices/WWM%2D0001%2d12", .value("/id", "WWM-0001-12"), .sameAs(meter))))),
  ]

  private static let devicesPatched = [
    Row(
      "patch-body-is-empty", .service, "The response to PATCH is 200 with an empty body.",
      .send("PATCH", meter, "{}", .bytes(""))),
    Row(
      "patch-is-kept", .service, "GET returns the values that PATCH has written.",
      .restoring(
        date,
        .send("PATCH", meter, #"{"installationDate":"2023-07-05T15:13:34Z"}"#), dated("2023-07-05T15:13:34Z"))),
    Row(
      "patch-as-sent", .service, "A date with an offset is stored and returned as it was sent.",
      .restoring(
        date,
        .send("PATCH", meter, #"{"installationDate":"2023-07-05T17:13:34+02:00"}"#), dated("2023-07-05T17:13:34+02:00"))
    ),
    Row(
      "patch-null-clears", .service, "installationDate: null clears the date.",
      .restoring(
        date,
        .send("PATCH", meter, #"{"installationDate":"2023-07-05T15:13:34Z"}"#),
        .send("PATCH", meter, #"{"installationDate":null}"#), dated(nil))),
    Row(
      "patch-no-content-type", .everyService,
      "A body is read as JSON without a Content-Type, and with any Content-Type.",
      .restoring(
        date,
        .send("PATCH", meter, #"{"id":"WWM-0001-12","installationDate":"2023-07-01T08:00:00Z"}"#),
        dated("2023-07-01T08:00:00Z"),
        .send(
          "PATCH", meter, #"{"id":"WWM-0001-12","installationDate":"2023-07-02T08:00:00Z"}"#,
          with: ["Content-Type: application/x-www-form-urlencoded"]),
        dated("2023-07-02T08:00:00Z"))),
    Row(
      "patch-empty-object", .service, "The response to {} is 200, and nothing changes.",
      .unchanged("/devices", by: .send("PATCH", meter, "{}"))),
    Row(
      "patch-refuses", .service,
      "An invalid value, an unknown key, invalid JSON or a missing body gets 400, and nothing is written.",
      needs: .sandbox,
      .unchanged(
        "/devices",
        by: .each([
          #"{"installationDate":"2023-07-05T15:13:34.000Z"}"#, #"{"installationDate":"yesterday"}"#,
          #"{"installationDate":5}"#, #"{"type":"cold"}"#, #"{"meterPointDescription":""}"#, #"{"colour":"red"}"#,
          #"{"id":""}"#, "[]", "nonsense", #"{"type":"#, nil,
        ]) { .send("PATCH", meter, $0, gets: 400) },
        // The real service renamed the device.
        .ours(.send("PATCH", meter, #"{"id":"CWM-0012-62"}"#, gets: 400)))),
    Row(
      "patch-all-or-nothing", .service, "If one key is invalid, the valid ones are not written either.",
      needs: .sandbox,
      .unchanged(
        "/devices", by: .send("PATCH", meter, #"{"meterPointDescription":"Attic","type":"steam"}"#, gets: 400))),
    Row(
      "patch-checks-first", .service, "Keys are checked before the device is looked up.",
      .send("PATCH", "/devices/no-such-one", #"{"type":"steam"}"#, gets: 400),
      // The real service answered 400 here, too.
      .ours(.send("PATCH", "/devices/no-such-one", "{}", gets: 404))),
  ]

  private static let devicesWrittenTogether = [
    Row(
      "patch-leaves-others", .service, "A PATCH changes only its own device, and only the keys in its body.",
      needs: .sandbox,
      .changed(
        "/devices", .value("WWM-0001-12", "meterPointDescription", "Attic"),
        by: .send("PATCH", meter, #"{"meterPointDescription":"Attic"}"#))),
    Row(
      "parallel-writes", .service, "Concurrent writes to different devices are all stored.", needs: .sandbox,
      .code { session throws(EarlyEnd) in
        let ids = try session.get("/devices").expect(200).records().compactMap { $0["id"]?.string }
        let dates = ids.indices.map { "2023-07-0\($0 + 1)T08:00:00Z" }
        let requests = zip(ids, dates).map { id, date in
          (method: "PATCH", path: "/devices/" + id, body: "{\"installationDate\":\"\(date)\"}")
        }
        for answer in try session.atOnce(requests) { try answer.expect(200) }
        let found = try session.get("/devices").expect(200).records().values("installationDate")
        try require(.array(found), equals: .array(dates.map(JSONValue.string)), "the dates")
      }),
    Row(
      "etag-follows", .ours("RFC 9110 section 8.8.1"),
      "The tags of a device and of the list change with a write, and the old tag does not get 304.", needs: .sandbox,
      .each([(meter, "Attic"), ("/devices", "Cellar")]) { path, place in
        .several([
          .tag(of: path), .send("PATCH", meter, "{\"meterPointDescription\":\"\(place) {fresh}\"}"),
          .get(path, with: ["If-None-Match: {tag}"], .newTag),
        ])
      }),
    Row(
      "if-match", .ours("RFC 9110 section 13.1.1"),
      "With If-Match, one of two writers succeeds; the other gets 412 and changes nothing.", needs: .sandbox,
      .tag(of: meter),
      .send("PATCH", meter, #"{"meterPointDescription":"First {fresh}"}"#, with: ["If-Match: {tag}"]),
      .send("PATCH", meter, #"{"meterPointDescription":"Second"}"#, with: ["If-Match: {tag}"], gets: 412),
      .get("/devices", .record("WWM-0001-12", "meterPointDescription", "First {fresh}"))),
    Row(
      "idempotency-key", .ours("openapi.yaml, patchDevice"),
      "A request with a repeated key is not applied again; with another body it gets 422.", needs: .sandbox,
      .send("PATCH", meter, #"{"meterPointDescription":"First"}"#, with: ["Idempotency-Key: {fresh}"]),
      .send("PATCH", meter, #"{"meterPointDescription":"Second"}"#),
      .send("PATCH", meter, #"{"meterPointDescription":"First"}"#, with: ["Idempotency-Key: {fresh}"]),
      .get(meter, .value("/meterPointDescription", "Second")),
      .send("PATCH", meter, "{}", with: ["Idempotency-Key: {fresh}"], gets: 422)),
  ]
}
