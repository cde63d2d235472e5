import Contract
import ControlAPI
import JSON

extension Check {
  static let control =
    walk(.control, "control") + controlSandboxes + controlData + controlPages
    + controlGate

  private static func control(
    _ id: String, _ sentence: String, from source: String,
    run: @escaping @Sendable (Session) throws(EarlyEnd) -> Void
  ) -> Check {
    Check("control-" + id, in: "control", sentence, from: source, needs: .control, run: run)
  }

  private static let meter = "/devices/WWM-0001-12"

  private static func rename(_ session: Session, _ name: String) throws(EarlyEnd) {
    try session.ask("PATCH", meter, body: (["meterPointDescription": .string(name)] as JSONValue).text).expect(200)
  }

  private static func name(_ session: Session) throws(EarlyEnd) -> JSONValue? {
    try session.get(meter).expect(200).json()["meterPointDescription"]
  }

  private static let controlSandboxes = [
    control(
      "sandboxes-are-apart", "A write in one sandbox is not visible in another.", from: "openapi.yaml, makeSandbox"
    ) { session throws(EarlyEnd) in
      let other = Session(target: session.target, sandbox: try OwnSandbox.make(by: session))
      defer { other.sandbox?.delete(by: session) }
      try rename(session, "Attic")
      try require(try name(other), equals: "Kitchen", "the other sandbox's device")
      try require(try name(session), equals: "Attic", "the sandbox's own device")
    },
    control(
      "sandbox-by-path", "A sandbox can be selected by its label in the path, too.",
      from: "README.md, A sandbox for each test"
    ) { session throws(EarlyEnd) in
      try rename(session, "Attic")
      let found = try session.follow("/@\(session.sandbox?.name ?? "")\(meter)").expect(200).json()
      try require(found["meterPointDescription"], equals: "Attic", "the device")
    },
    control("sandbox-data", "A sandbox starts from the data that it was made with.", from: "openapi.yaml, makeSandbox")
    { session throws(EarlyEnd) in
      let order: JSONValue = ["data": ["activities": [], "house": ["temperature": 31]], "ttl": "1m"]
      let other = Session(target: session.target, sandbox: try OwnSandbox.make(by: session, order))
      defer { other.sandbox?.delete(by: session) }
      try other.get("/activities").expect(200).expect(json: [])
      try require(try other.get("/_mock/state").json()["house"]?["temperature"], equals: 31, "the temperature")
    },
    control(
      "sandbox-unknown", "An unknown sandbox gets 404, and the problem explains how to make it.",
      from: "openapi.yaml, listDevices"
    ) { session throws(EarlyEnd) in
      let answer = try session.follow("/@no-such-sandbox/devices").expect(404)
      try require(answer.text.contains("POST /_mock/sandboxes"), "how to make one", found: answer.evidence)
    },
    control("sandbox-deleted", "A deleted sandbox gets 404.", from: "openapi.yaml, deleteSandbox") {
      session throws(EarlyEnd) in
      // A name that the server chose could belong to another sandbox by the time of the second request.
      let order: JSONValue = ["name": .string((session.sandbox?.name ?? "") + "-gone"), "ttl": "1m"]
      let other = Session(target: session.target, sandbox: try OwnSandbox.make(by: session, order))
      other.sandbox?.delete(by: session)
      try other.get("/devices").expect(404)
    },
    control(
      "sandbox-names", "A sandbox's name must be a label, and neither default nor an API's name.",
      from: "openapi.yaml, makeSandbox"
    ) { session throws(EarlyEnd) in
      for name in ["users", "default", "Not A Label", "-a", ""] {
        let body: JSONValue = ["name": .string(name)]
        let answer = try session.ask("POST", "/_mock/sandboxes", body: body.text)
        try require(answer.status == 400, "400 to the name «\(name)»", found: answer.evidence)
      }
    },
  ]

  private static let controlData = [
    control("reset-resets", "POST /_mock/reset restores the initial data.", from: "openapi.yaml, resetSandbox") {
      session throws(EarlyEnd) in
      let before = try session.get("/devices").expect(200)
      try rename(session, "Attic")
      try session.ask("POST", "/book", body: "{\"name\":\"Ljerka\"}").expect(200)
      try session.get("/kitchen/light/on").expect(200)
      try session.ask("POST", "/_mock/reset").expect(204)
      let after = try session.get("/devices").expect(200)
      try require(
        .array(try after.elements().values("meterPointDescription")),
        equals: .array(try before.elements().values("meterPointDescription")), "the devices' places")
      let state = try session.get("/_mock/state").expect(200).json()
      try require(state["booking"]?["rooms"]?.array?.first?["spots"], equals: 43, "Ljerka's spots")
      try require(state["house"]?["rooms"]?["Kitchen"]?["Light"], equals: false, "the light")
    },
    control(
      "snapshots", "A snapshot stores data and restores it, also after a reset.",
      from: "openapi.yaml, restoreSnapshot; openapi.yaml, resetSandbox"
    ) { session throws(EarlyEnd) in
      try rename(session, "Attic")
      try session.ask("PUT", "/_mock/snapshots/one").expect(201)
      try rename(session, "Cellar")
      try session.ask("POST", "/_mock/snapshots/one/restore").expect(204)
      try require(try name(session), equals: "Attic", "the device")
      try session.ask("POST", "/_mock/reset").expect(204)
      try session.ask("POST", "/_mock/snapshots/one/restore").expect(204)
      try require(try name(session), equals: "Attic", "the device")
    },
    control(
      "state", "A PATCH of the state is merged and validated as a whole, and the APIs show the result.",
      from: "openapi.yaml, patchState"
    ) {
      session throws(EarlyEnd) in
      let before = try session.get("/_mock/state").expect(200).json()
      try session.ask("PATCH", "/_mock/state", body: "{\"house\":{\"temperature\":\"hot\"}}").expect(400)
      try session.ask("PATCH", "/_mock/state", body: "{\"nonsense\":1}").expect(400)
      try require(try session.get("/_mock/state").expect(200).json() == before, "the state as before", found: "another")
      try session.ask("PATCH", "/_mock/state", body: "{\"house\":{\"rooms\":{\"Kitchen\":{\"Music\":true}}}}").expect(
        200)
      let house = try session.get(try session.own("house", "/state")).expect(200).json()
      try require(house["rooms"]?["Kitchen"]?["Music"], equals: true, "the music")
    },
    control(
      "clock", "The clock can be stopped and advanced, and the weather follows it.", from: "openapi.yaml, patchClock"
    ) {
      session throws(EarlyEnd) in
      try session.ask("PATCH", "/_mock/clock", body: "{\"frozen\":true}").expect(200)
      let first = try session.get("/_mock/clock").expect(200).json()["now"]
      try require(try session.get("/_mock/clock").expect(200).json()["now"], equals: first ?? .null, "the frozen time")
      let before = try day(session)
      try session.ask("PATCH", "/_mock/clock", body: "{\"advance\":\"48h\"}").expect(200)
      try require(try day(session) != before, "another day than \(before.text)", found: before.text)
    },
    control(
      "scenario", "A scenario can be set by name, and its plans are carried out.", from: "openapi.yaml, putScenario"
    ) {
      session throws(EarlyEnd) in
      let rule =
        "{\"name\":\"x\",\"rules\":[{\"name\":\"y\",\"match\":{\"api\":\"devices\"},\"effect\":{\"status\":503}}]}"
      try session.ask("PUT", "/_mock/scenario", body: rule).expect(200)
      try session.get("/devices").expect(503)
      try session.get("/users/1").expect(200)
      try session.ask("PUT", "/_mock/scenario", body: "\"calm\"").expect(200)
      try session.get("/devices").expect(200)
      try session.ask("PUT", "/_mock/scenario", body: "\"no-such-scenario\"").expect(400)
    },
    control("prefer", "A request can ask for its own fault by Prefer.", from: "README.md, Faults") {
      session throws(EarlyEnd) in
      let answer = try session.get("/devices", "Prefer: code=503").expect(503)
      _ = try answer.field("Preference-Applied")
      try session.get("/devices").expect(200)
    },
    control(
      "journal", "The journal lists the requests, and Understudy-Request is the id of the entry.",
      from: "openapi.yaml, getJournal"
    ) {
      session throws(EarlyEnd) in
      let id = try session.get("/users/1").expect(200).field("Understudy-Request")
      let entries = try session.get("/_mock/journal").expect(200).json()["entries"]?.array ?? []
      let entry = try entries.first("path", "/users/1")
      try require(entry["id"]?.int.map { String($0) } == id, "the entry \(id)", found: entry["id"]?.text ?? "none")
      try require(entry["method"], equals: "GET", "the method")
      let lines = try session.get("/_mock/journal", "Accept: application/jsonl").expect(200)
      try lines.expect("Content-Type", "application/jsonl")
    },
    control("journal-stream", "The journal's stream is server-sent events.", from: "openapi.yaml, streamJournal") {
      session throws(EarlyEnd) in
      let connection = try session.connect()
      try connection.send(session.request("GET", "/_mock/journal/stream"))
      let head = try connection.answer(to: "HEAD of /_mock/journal/stream").expect(200)
      try require(
        head.mediaType == "text/event-stream", "Content-Type: text/event-stream", found: head.describe("Content-Type"))
    },
  ]

  private static let controlPages = [
    control(
      "inert", "No response of the control API or the parser runs as a page; the two pages run only their own scripts.",
      from: "Content Security Policy Level 3; openapi.yaml, getDashboard"
    ) { session throws(EarlyEnd) in
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
    }
  ]

  private static func day(_ session: Session) throws(EarlyEnd) -> JSONValue {
    let report = try session.get("/weather/cold").expect(200).json()
    return report["consolidated_weather"]?.array?.first?["applicable_date"] ?? .null
  }

  private static let controlGate = [
    control(
      "closed-to-pages",
      "Pages of other sites must not use or read it: 403, or 401 if it requires a token, and no CORS fields.",
      from: "openapi.yaml, getState; Understudy.docc/Security.md, Defended"
    ) {
      session throws(EarlyEnd) in
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
    },
    control(
      "foreign-host",
      "A Host that is not a loopback name gets 403, even if the APIs accept it; 401 if it requires a token.",
      from: "openapi.yaml, getState"
    ) {
      session throws(EarlyEnd) in
      for host in ["elsewhere.test", "comgy.io"] {
        let connection = try session.connect()
        try connection.send("GET /_mock/state HTTP/1.1\r\nHost: \(host)\r\n\r\n")
        try connection.answer(to: "GET /_mock/state of \(host)").expect(session.target.refusal)
      }
    },
    control("document", "/openapi.yaml is served, and lists every path.", from: "openapi.yaml, getOpenAPI") {
      session throws(EarlyEnd) in
      let text = try session.get("/openapi.yaml").expect(200).text
      for operation in API.control.operations + API.all.flatMap({ $0.operations.filter(\.semantics.isMerged) }) {
        try require(text.contains(operation.path.text), operation.path.text, found: "no such path in the document")
      }
    },
  ]
}

extension Target {
  /// The control API's status for a client without credentials. With a token, the client may be anywhere, so it is 401
  /// instead of 403.
  fileprivate var refusal: Int { adminToken == nil ? 403 : 401 }
}
