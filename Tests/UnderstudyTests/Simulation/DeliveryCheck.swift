@testable import Faults
@testable import Primitives
@testable import Report
@testable import Understudy

/// Compares the bytes of a connection and their times with the plans in the journal.
struct DeliveryCheck {
  let cable: SimulatedConnection
  private let lines: [Int: ObservedJournal.Line]
  private(set) var findings: [String] = []
  /// The number of bytes that the plans explain.
  private var index = 0
  /// The reason why no further response can follow.
  private var over: String?
  private var isHalfClosed: Bool { cable.wasFinRead }

  /// - Parameter lines: The entries of this connection's requests, by the requests' numbers.
  init(_ cable: SimulatedConnection, _ lines: [Int: ObservedJournal.Line]) {
    self.cable = cable
    self.lines = lines
    over = cable.excuse
    var offset = 0
    for request in cable.requests {
      offset += request.bytes.count
      if index == cable.sent.count, over != nil { break }
      guard offset <= cable.read else { break }
      check(request)
      guard findings.isEmpty else { return }
    }
    checkRest()
  }

  private mutating func check(_ request: SimulatedRequest) {
    guard request.meaning != .control else { return checkWhole(request, nil) }
    guard let line = lines[request.number] else {
      let next = Receipt(cable.sent, from: index, isHead: request.isHead)
      let isCut = next == nil && over != nil && index < cable.sent.count
      if request.sandbox != nil, next.map({ $0["Understudy-Request"] == nil }) ?? isCut {
        return checkWhole(request, nil)
      }
      // Requests that wait when the server stops, or after a last response, are never begun.
      if over == nil, !cable.isUnheard { find(request, "was never begun, and nothing explains it") }
      return
    }
    guard over == nil || over == cable.excuse else { return find(request, "was begun although \(over ?? "")") }
    let expected = expected(request, line)
    if !line.isForgotten, let flaw = expected.flaw(in: line.entry.outcome, isHalfClosed, cable.excuse) {
      find(request, flaw)
    }
    switch expected.layout {
    case .whole: checkWhole(request, line, stall: expected.stall)
    case .nothing: break
    case .statusLine: checkStatusLine(request, line)
    case .garbage, .brokenChunks: checkBroken(request, line, expected.layout)
    case .part(let at): checkPart(request, line, at, hold: expected)
    }
    guard findings.isEmpty else { return }
    checkEnd(request, line, expected)
  }

  /// Returns the plan's expectation, unless its fault cannot be applied to the response.
  private func expected(_ request: SimulatedRequest, _ line: ObservedJournal.Line) -> Expected {
    guard let receipt = Receipt(cable.sent, from: index, isHead: request.isHead) else {
      // A part of a head arrived even after the silence.
      return Expected(line.plan, line.entry.outcome, isPastSilence: cable.sent.count > index)
    }
    let isItsOwn = receipt["Understudy-Request"].flatMap { Int($0) } == line.entry.id
    let silence = line.plan.ending?.stallsAt?.offset(in: receipt.announced ?? 0) ?? 0
    let isPast = isItsOwn && cable.sent.count > receipt.body + silence
    let expected = Expected(line.plan, line.entry.outcome, isPastSilence: isPast)
    switch expected.layout {
    case .part where receipt.announced == 0: return Expected(.none, line.entry.outcome)
    case .brokenChunks where receipt["Transfer-Encoding"] == nil: return Expected(.none, line.entry.outcome)
    default: return expected
    }
  }

  private mutating func checkEnd(_ request: SimulatedRequest, _ line: ObservedJournal.Line, _ expected: Expected) {
    guard expected.end != .goesOn else { return }
    over = over ?? "entry \(line.entry.id) ended it"
    guard index == cable.sent.count else { return find(request, "is followed by bytes after the end") }
    guard cable.excuse == nil, expected.end != .silence else { return }
    let kind: SimulatedConnection.End.Kind = expected.end == .reset ? .reset : .finished
    guard let end = cable.end, end.kind == kind else {
      return find(request, "should have ended by \(kind), not \(cable.end.map { "\($0.kind)" } ?? "not at all")")
    }
    // An outage does not wait for the delay of exchanges in progress.
    if line.plan.ending != .offline, end.at < due(line) + expected.hold {
      find(request, "ended before its time")
    }
  }

  private func due(_ line: ObservedJournal.Line) -> MonotonicInstant {
    Timeline.tick(of: line.entry.at) + line.plan.delay
  }
}

extension DeliveryCheck {
  private mutating func checkWhole(
    _ request: SimulatedRequest, _ line: ObservedJournal.Line?, stall: Expected.Stall? = nil
  ) {
    guard let receipt = receipt(request, line) else { return }
    guard let announced = receipt.announced else { return find(request, "is answered without a length") }
    let end = receipt.body + announced
    if end > cable.sent.count {
      if over == nil { find(request, "is answered in part only, and nothing explains it") }
      if let line, line.entry.outcome == .sent, !line.isForgotten { find(request, "counts as sent, and was not") }
    }
    if end <= cable.sent.count, line?.entry.outcome == .peerGone, !isHalfClosed {
      find(request, "counts as lost, and was sent")
    }
    if let line { checkTimes(request, line, receipt, upTo: min(end, cable.sent.count), stall) }
    index = min(end, cable.sent.count)
    if receipt["Connection"] == "close" { over = over ?? "the reply to \(request.number) was the last" }
    if let line { checkMeaning(request, line, receipt) }
  }

  private mutating func checkPart(
    _ request: SimulatedRequest, _ line: ObservedJournal.Line, _ at: Ratio, hold expected: Expected
  ) {
    guard let receipt = receipt(request, line) else { return }
    let total = receipt.announced ?? 0
    guard let offset = at.offset(in: total) else { return find(request, "has no length to be cut in") }
    let end = receipt.body + offset
    if cable.sent.count < end, over == nil, expected.end != .silence || !isHalfClosed {
      find(request, "stops before the \(offset) of \(total) bytes that were due")
    }
    checkTimes(request, line, receipt, upTo: min(end, cable.sent.count), nil)
    index = min(end, cable.sent.count)
    checkMeaning(request, line, receipt)
    if cable.excuse == nil, let response = line.entry.response, response.bytes != max(0, index - receipt.body) {
      find(request, "shows \(index - receipt.body) bytes of a body, and the journal \(response.bytes)")
    }
  }

  private mutating func checkStatusLine(_ request: SimulatedRequest, _ line: ObservedJournal.Line) {
    let rest = cable.sent[index...]
    let isLine = rest.starts(with: Array("HTTP/1.1 ".utf8)) && rest.last == 10 && rest.count { $0 == 10 } == 1
    if !isLine, over == nil { find(request, "should show its status line and no more") }
    checkFirstByte(request, line)
    index = cable.sent.count
  }

  private mutating func checkBroken(
    _ request: SimulatedRequest, _ line: ObservedJournal.Line, _ layout: Expected.MessageLayout
  ) {
    checkFirstByte(request, line)
    let isHTTP = cable.sent[index...].starts(with: Array("HTTP/1.1 ".utf8))
    if over == nil, isHTTP != (layout == .brokenChunks) { find(request, "is not answered by \(layout)") }
    if over == nil, cable.sent[index...].suffix(5) == Array("0\r\n\r\n".utf8)[...] {
      find(request, "is answered in sound chunks")
    }
    index = cable.sent.count
  }

  /// Returns the head of the next response; nil if there is none, which needs an explanation.
  private mutating func receipt(_ request: SimulatedRequest, _ line: ObservedJournal.Line?) -> Receipt? {
    guard let receipt = Receipt(cable.sent, from: index, isHead: request.isHead) else {
      let rest = String(decoding: cable.sent[index...].prefix(40), as: UTF8.self)
      let wasHeard = line != nil || !rest.isEmpty || !cable.isUnheard
      if over == nil, wasHeard { find(request, "is not answered: «\(rest)»") }
      if let line, !rest.isEmpty { checkFirstByte(request, line) }
      index = cable.sent.count
      return nil
    }
    if receipt["Understudy-Request"].flatMap({ Int($0) }) != line?.entry.id {
      let id = line.map { String($0.entry.id) } ?? "none"
      find(request, "has the entry \(id) and is answered with \(receipt["Understudy-Request"] ?? "none")")
    }
    return receipt
  }

  private mutating func checkMeaning(_ request: SimulatedRequest, _ line: ObservedJournal.Line, _ receipt: Receipt) {
    if let response = line.entry.response, response.status != receipt.status {
      find(request, "is answered with \(receipt.status), and the journal says \(response.status)")
    }
    if let status = line.plan.status, status.status != receipt.status {
      find(request, "is answered with \(receipt.status), planned was \(status.status)")
    }
    let isDelivered = line.entry.outcome != .notDeliverable
    if line.plan.damage == .captivePortal, isDelivered, receipt["Content-Type"]?.hasPrefix("text/html") != true {
      find(request, "should show a captive portal")
    }
  }

  private mutating func checkFirstByte(_ request: SimulatedRequest, _ line: ObservedJournal.Line) {
    guard let piece = cable.pieces.first(where: { $0.end > index }) else { return }
    if piece.at < due(line) { find(request, "is answered \(due(line) - piece.at) early") }
  }

  private mutating func checkTimes(
    _ request: SimulatedRequest, _ line: ObservedJournal.Line, _ receipt: Receipt, upTo end: Int,
    _ stall: Expected.Stall?
  ) {
    var began = due(line)
    if let ending = line.plan.ending, ending.kind.name == "hang" {
      began = began + (ending.hold?.duration ?? .zero)
    }
    let stop = stall.flatMap { $0.at.offset(in: receipt.announced ?? 0) }.map { receipt.body + $0 - index }
    for piece in cable.pieces where piece.end > index {
      let count = min(piece.end, end) - index
      guard count > 0 else { break }
      var earliest = began + (line.plan.pace?.delay(untilByte: count) ?? .zero)
      if let stop, let stall, count > stop { earliest = earliest + stall.hold }
      if piece.at < earliest { return find(request, "byte \(count) comes \(earliest - piece.at) early") }
      if piece.end >= end { break }
    }
  }

  /// After the responses there may be one to an incomplete request, and nothing else.
  private mutating func checkRest() {
    guard findings.isEmpty, index < cable.sent.count else { return }
    let receipt = Receipt(cable.sent, from: index, isHead: false)
    let isRefusal = receipt.map { [400, 408].contains($0.status) } ?? false
    let whole = cable.requests.reduce(into: [0]) { $0.append(($0.last ?? 0) + $1.bytes.count) }
    if isRefusal, !whole.contains(cable.read) { return }
    if cable.excuse != nil, receipt == nil { return }
    findings.append("\(cable.name) sent \(cable.sent.count - index) bytes that answer nothing")
  }

  private mutating func find(_ request: SimulatedRequest, _ finding: String) {
    findings.append("\(cable.name), request \(request.number): \(finding)")
  }
}
