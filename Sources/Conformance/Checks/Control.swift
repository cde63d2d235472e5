import Contract
import ControlAPI
import JSON

extension Row {
  static let control = controlSandboxes + controlData + controlRecords + controlGate

  private static let meter = "/devices/WWM-0001-12"

  private static func rename(_ name: String) -> Step {
    .send("PATCH", meter, "{\"meterPointDescription\":\"\(name)\"}")
  }

  private static func named(_ name: String) -> Step {
    .get(meter, .value("/meterPointDescription", .string(name)))
  }

  /// Steps in another sandbox, which is made with these settings.
  private static func elsewhere(with settings: JSONValue = ["ttl": "5m"], _ steps: Step...) -> Step {
    .code { session throws(EarlyEnd) in
      let other = Session(target: session.target, sandbox: try OwnSandbox.make(by: session, settings))
      defer { other.sandbox?.delete(by: session) }
      try steps.run(by: other)
    }
  }

  private static let controlSandboxes = [
    Row(
      "sandboxes-are-apart", .ours("openapi.yaml, makeSandbox"), "A write in one sandbox is not visible in another.",
      needs: .control,
      rename("Attic"), elsewhere(named("Kitchen")), named("Attic")),
    Row(
      "sandbox-by-path", .ours("README.md, A sandbox for each test"),
      "A sandbox can be selected by its label in the path, too.", needs: .control,
      rename("Attic"),
      .code { session throws(EarlyEnd) in
        try session.follow("/@\(session.sandbox?.name ?? "")\(meter)").expect(200)
          .expect(member: "meterPointDescription", "Attic")
      }),
    Row(
      "sandbox-data", .ours("openapi.yaml, makeSandbox"), "A sandbox starts from the data that it was made with.",
      needs: .control,
      elsewhere(
        with: ["data": ["activities": [], "house": ["temperature": 31]], "ttl": "1m"],
        .get("/activities", .json([])), .get("/_mock/state", .value("/house/temperature", 31)))),
    Row(
      "sandbox-unknown", .ours("openapi.yaml, listDevices"),
      "An unknown sandbox gets 404, and the problem explains how to make it.", needs: .control,
      .code { session throws(EarlyEnd) in
        let answer = try session.follow("/@no-such-sandbox/devices").expect(404)
        try require(answer.text.contains("POST /_mock/sandboxes"), "how to make one", found: answer.evidence)
      }),
    Row(
      "sandbox-deleted", .ours("openapi.yaml, deleteSandbox"), "A deleted sandbox gets 404.", needs: .control,
      .code { session throws(EarlyEnd) in
        // A name that the server chose could belong to another sandbox by the time of the second request.
        let order: JSONValue = ["name": .string((session.sandbox?.name ?? "") + "-gone"), "ttl": "1m"]
        let other = Session(target: session.target, sandbox: try OwnSandbox.make(by: session, order))
        other.sandbox?.delete(by: session)
        try other.get("/devices").expect(404)
      }),
    Row(
      "sandbox-names", .ours("openapi.yaml, makeSandbox"),
      "A sandbox's name must be a label, and neither default nor an API's name.", needs: .control,
      .each(["users", "default", "Not A Label", "-a", ""]) {
        .send("POST", "/_mock/sandboxes", "{\"name\":\"\($0)\"}", gets: 400)
      }),
  ]

  private static let controlData = [
    Row(
      "reset-resets", .ours("openapi.yaml, resetSandbox"), "POST /_mock/reset restores the initial data.",
      needs: .control,
      rename("Attic"), .send("POST", "/book", #"{"name":"Ljerka"}"#), .get("/kitchen/light/on"),
      .send("POST", "/_mock/reset", gets: 204),
      .get("/devices", .column("meterPointDescription", ["Kitchen", "Kitchen", "Hallway", "Hallway"])),
      .get("/_mock/state", .value("/booking/rooms/0/spots", 43), .value("/house/rooms/Kitchen/Light", false))),
    Row(
      "snapshots", .ours("openapi.yaml, restoreSnapshot; openapi.yaml, resetSandbox"),
      "A snapshot stores data and restores it, also after a reset.", needs: .control,
      rename("Attic"), .send("PUT", "/_mock/snapshots/one", gets: 201),
      rename("Cellar"), .send("POST", "/_mock/snapshots/one/restore", gets: 204), named("Attic"),
      .send("POST", "/_mock/reset", gets: 204), .send("POST", "/_mock/snapshots/one/restore", gets: 204),
      named("Attic")),
    Row(
      "state", .ours("openapi.yaml, patchState"),
      "A PATCH of the state is merged and validated as a whole, and the APIs show the result.", needs: .control,
      .unchanged(
        "/_mock/state",
        by: .send("PATCH", "/_mock/state", #"{"house":{"temperature":"hot"}}"#, gets: 400),
        .send("PATCH", "/_mock/state", #"{"nonsense":1}"#, gets: 400)),
      .send("PATCH", "/_mock/state", #"{"house":{"rooms":{"Kitchen":{"Music":true}}}}"#),
      .get("@house/state", .value("/rooms/Kitchen/Music", true))),
    Row(
      "clock", .ours("openapi.yaml, patchClock"), "The clock can be stopped and advanced, and the weather follows it.",
      needs: .control,
      .send("PATCH", "/_mock/clock", #"{"frozen":true}"#),
      .code { session throws(EarlyEnd) in
        let first = try session.get("/_mock/clock").expect(200).json()["now"]
        try session.get("/_mock/clock").expect(200).expect(member: "now", first ?? .null)
        let before = try day(session)
        try session.ask("PATCH", "/_mock/clock", body: #"{"advance":"48h"}"#).expect(200)
        try require(try day(session) != before, "another day than \(before.text)", found: before.text)
      }),
    Row(
      "scenario", .ours("openapi.yaml, putScenario"),
      "A scenario can be set by name, and its plans are carried out.", needs: .control,
      .send(
        "PUT", "/_mock/scenario",
        #"{"name":"x","rules":[{"name":"y","match":{"api":"devices"},"effect":{"status":503}}]}"#),
      .get("/devices", gets: 503), .get("/users/1"),
      .send("PUT", "/_mock/scenario", #""calm""#), .get("/devices"),
      .send("PUT", "/_mock/scenario", #""no-such-scenario""#, gets: 400)),
    Row(
      "prefer", .ours("README.md, Faults"), "A request can ask for its own fault by Prefer.", needs: .control,
      .get("/devices", with: ["Prefer: code=503"], gets: 503, .fieldPart("Preference-Applied", "code=503")),
      .get("/devices")),
  ]

  private static func day(_ session: Session) throws(EarlyEnd) -> JSONValue {
    let report = try session.get("/weather/cold").expect(200).json()
    return report["consolidated_weather"]?.array?.first?["applicable_date"] ?? .null
  }

  private static let controlRecords = [
    Row(
      "journal", .ours("openapi.yaml, getJournal"),
      "The journal lists the requests, and Understudy-Request is the id of the entry.", needs: .control,
      .code { session throws(EarlyEnd) in
        let id = try session.get("/users/1").expect(200).field("Understudy-Request")
        let entries = try session.get("/_mock/journal").expect(200).json()["entries"]?.array ?? []
        let entry = try require(entries.first { $0["path"] == "/users/1" }, "an entry of /users/1", found: "none")
        try require(entry["id"]?.int.map { String($0) } == id, "the entry \(id)", found: entry["id"]?.text ?? "none")
        try require(entry["method"], equals: "GET", "the method")
        let lines = try session.get("/_mock/journal", "Accept: application/jsonl").expect(200)
        try lines.expect("Content-Type", "application/jsonl")
      }),
    Row(
      "journal-stream", .ours("openapi.yaml, streamJournal"),
      "The journal's stream is server-sent events.", needs: .control,
      .stream("/_mock/journal/stream")),
    Row(
      "inert", .ours("Content Security Policy Level 3; openapi.yaml, getDashboard"),
      "No response of the control API or the parser runs as a page; the two pages run only their own scripts.",
      needs: .control,
      .code { session throws(EarlyEnd) in
        for path in ["state", "report?format=text", "no/such/path/%3Cscript%3E", "journal?%3Cscript%3E=1"] {
          try session.get("/_mock/" + path).expectInert()
        }
        let connection = try session.connect()
        try connection.send("GET /<script> HTTP/1.1\r\nX-Field: 1\r\n\r\n")
        try connection.answer(to: "a request without Host").expectInert()
        for path in ["", "report?format=html"] {
          let page = try session.get("/_mock/" + path).expect(200)
          let policy = try page.field(PagePolicy.fieldName)
          let isStrict =
            policy.hasPrefix("default-src 'none'; style-src 'nonce-") && policy.contains("frame-ancestors 'none'")
          try require(isStrict && !policy.contains("script-src 'unsafe-inline'"), "a strict policy", found: policy)
        }
      }),
  ]

  private static let controlGate = [
    Row(
      "closed-to-pages", .ours("openapi.yaml, getState; Understudy.docc/Security.md, Defended"),
      "Pages of other sites must not use or read it: 403, or 401 if it requires a token, and no CORS fields.",
      needs: .control,
      .code { session throws(EarlyEnd) in
        let page = "Origin: http://elsewhere.test"
        let stranger = session.withoutToken
        let answers = [
          try stranger.get("/_mock/state", page).expect(session.target.refusal),
          try stranger.get("/_mock/health", page).expect(200),
          try stranger.ask("OPTIONS", "/_mock/state", page, "Access-Control-Request-Method: PATCH"),
        ]
        for answer in answers {
          let open = answer.fields.map(\.name).filter { $0.hasPrefix("access-control-") }
          try require(open.isEmpty, "no CORS field to \(answer.asked)", found: open.joined(separator: ", "))
        }
      }),
    Row(
      "foreign-host", .ours("openapi.yaml, getState"),
      "A Host that is not a loopback name gets 403, even if the APIs accept it; 401 if it requires a token.",
      needs: .control,
      .code { session throws(EarlyEnd) in
        for host in ["elsewhere.test", "comgy.io"] {
          let connection = try session.connect()
          try connection.send("GET /_mock/state HTTP/1.1\r\nHost: \(host)\r\n\r\n")
          try connection.answer(to: "GET /_mock/state of \(host)").expect(session.target.refusal)
        }
      }),
    Row(
      "document", .ours("openapi.yaml, getOpenAPI"),
      "/openapi.yaml is served, and lists every path.", needs: .control,
      .code { session throws(EarlyEnd) in
        let text = try session.get("/openapi.yaml").expect(200).text
        for operation in API.control.operations + API.all.flatMap({ $0.operations.filter(\.semantics.isMerged) }) {
          try require(text.contains(operation.path.text), operation.path.text, found: "no such path in the document")
        }
      }),
  ]
}

extension Target {
  /// The control API's status for a client without credentials. With a token, the client may be anywhere, so it is 401
  /// instead of 403.
  fileprivate var refusal: Int { adminToken == nil ? 403 : 401 }
}
