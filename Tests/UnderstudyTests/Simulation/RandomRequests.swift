/// Draws valid requests over the five APIs.
final class RandomRequests {
  private let timeline: Timeline
  private var lastNumber = 0
  private var keys: [(key: String, meaning: SimulatedRequest.Meaning)] = []

  init(_ timeline: Timeline) { self.timeline = timeline }

  static let devices = ["A-1", "B-2", "C-3"]
  static let activities = ["11", "12"]
  static let rooms = ["Full", "Scarce", "Roomy"]

  private static let reads = [
    "/devices", "/devices/A-1", "/devices/none", "/activities", "/activities/11", "/@booking/rooms", "/rooms.json",
    "/users", "/users/1", "/users?_limit=1", "/@house/state", "/@house/rooms", "/nowhere", "/book",
  ]
  private static let changesByGet = ["/reset", "/@house/Hall/Light/on", "/@house/Hall/Light/off"]
  private static let preferences = [
    "code=503", "delay=30ms", "fault=reset; phase=after", "fault=truncate", "fault=empty; phase=after",
    "delay=20ms, fault=corrupt",
  ]

  /// The properties of a request besides path and body.
  private struct Draft {
    var method = "GET"
    var path: String
    var meaning = SimulatedRequest.Meaning.read
    var body: String?
    var key: String?
  }

  /// - Parameter sandbox: The sandbox that the request names, if any.
  func next(to sandbox: String?) -> SimulatedRequest {
    let draft = draft()
    return message(draft, to: sandbox)
  }

  /// A request to the control API, to which scenarios do not apply.
  func control(_ method: String, _ path: String, _ body: String? = nil, to sandbox: String?) -> SimulatedRequest {
    message(Draft(method: method, path: path, meaning: .control, body: body), to: sandbox)
  }

  private func draft() -> Draft {
    switch timeline.integer(0...11) {
    case 0...2: return Draft(method: timeline.oneIn(6) ? "HEAD" : "GET", path: timeline.pick(Self.reads))
    case 3...4:
      let device = timeline.pick(Self.devices + ["none"])
      let date = timeline.oneIn(4) ? nil : "2024-01-0\(timeline.integer(1...9))T00:00:00Z"
      let body = "{\"installationDate\": \(date.map { "\"\($0)\"" } ?? "null")}"
      return Draft(
        method: "PATCH", path: "/devices/" + device, meaning: .install(device: device, date: date), body: body)
    case 5...6:
      let (activity, flag) = (timeline.pick(Self.activities), timeline.oneIn(2))
      return Draft(
        method: timeline.oneIn(2) ? "POST" : "PATCH", path: "/activities/" + activity,
        meaning: .archive(activity: activity, flag), body: "{\"is_archived\": \(flag)}")
    case 7...9: return booking()
    case 10: return Draft(method: "POST", path: "/users", body: "{\"name\": \"Ada\"}")
    default:
      let path = timeline.pick(Self.changesByGet)
      return Draft(path: path, meaning: path == "/reset" ? .resetActivities : .other)
    }
  }

  /// Returns a booking with a new key, with a used one, or without one.
  private func booking() -> Draft {
    var room = timeline.pick(Self.rooms)
    var key: String?
    if timeline.oneIn(2) {
      if timeline.oneIn(2), !keys.isEmpty {
        let known = timeline.pick(keys)
        key = known.key
        if case .book(let wanted) = known.meaning { room = wanted }
      } else {
        let new = "key-\(keys.count)"
        keys.append((new, .book(room: room)))
        key = new
      }
    }
    if key == nil, timeline.oneIn(3) { return Draft(path: "/book?name=\(room)", meaning: .book(room: room)) }
    return Draft(
      method: "POST", path: "/book", meaning: .book(room: room), body: "{\"name\": \"\(room)\"}", key: key)
  }

  private func message(_ draft: Draft, to sandbox: String?) -> SimulatedRequest {
    lastNumber += 1
    var fields = ["Host: localhost", SimulatedRequest.numberField + String(lastNumber)]
    var path = draft.path
    if let sandbox {
      if timeline.oneIn(3) { fields.append("Understudy-Sandbox: " + sandbox) } else { path = "/@\(sandbox)" + path }
    }
    if let key = draft.key { fields.append("Idempotency-Key: " + key) }
    let isControl = draft.meaning == .control
    if !isControl, timeline.oneIn(12) { fields.append("Prefer: " + timeline.pick(Self.preferences)) }
    let isOld = !isControl && timeline.oneIn(10)
    var isLast = isOld
    if isOld, timeline.oneIn(2) {
      fields.append("Connection: keep-alive")
      isLast = false
    } else if !isControl, timeline.oneIn(15) {
      fields.append("Connection: close")
      isLast = true
    }
    var body = draft.body ?? ""
    if !body.isEmpty, !isOld, timeline.oneIn(4) {
      fields.append("Transfer-Encoding: chunked")
      body = "\(String(body.utf8.count, radix: 16))\r\n\(body)\r\n0\r\n\r\n"
    } else if draft.body != nil {
      fields.append("Content-Length: \(body.utf8.count)")
    }
    let head = ["\(draft.method) \(path) HTTP/1.\(isOld ? 0 : 1)"] + fields
    let text = head.joined(separator: "\r\n") + "\r\n\r\n" + body
    return SimulatedRequest(
      number: lastNumber, bytes: Array(text.utf8), meaning: draft.meaning, isHead: draft.method == "HEAD",
      isOld: isOld, isLast: isLast, sandbox: sandbox, idempotencyKey: draft.key)
  }
}
