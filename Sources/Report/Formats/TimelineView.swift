import Contract
import Faults
import JSON
import Primitives

/// The attempts of each logical request with a failure, as bars on its own time axis.
///
/// Each request has its own scale, because one that hung for a minute would make all others invisible. Within a bar,
/// the hatched part is the planned delay, and the thin line below it the measured one; a glyph shows how the attempt
/// ended.
struct TimelineView {
  let requests: [LogicalRequest]
  /// The ids of the attempts that have a row.
  let shown: Set<Int>
  private let prefix: String

  static let maximumRequests = 60

  /// Creates the view.
  ///
  /// - Parameters:
  ///   - timeline: The requests, the newest last; the page shows those with the most attempts first.
  ///   - prefix: The prefix that distinguishes the anchors from those of other cards.
  init(_ timeline: [LogicalRequest], prefix: String = "") {
    self.prefix = prefix
    let ranked = timeline.enumerated().sorted { left, right in
      left.element.count == right.element.count
        ? left.offset > right.offset : left.element.count > right.element.count
    }
    requests = ranked.prefix(Self.maximumRequests).map(\.element)
    shown = Set(requests.flatMap { $0.attempts.map(\.id) })
  }

  var html: String {
    guard !requests.isEmpty else {
      return "<section><h2>Attempts</h2><p class=\"empty\">No request failed or had a fault.</p></section>"
    }
    let cards = requests.map(card).joined(separator: "\n")
    return """
      <section aria-label="Attempts"><h2>Attempts</h2>
      <p class="how">A row is one attempt, named by its id in the journal; its bar goes from the request's arrival to \
      the end of its exchange, on a time axis of the request's own. Its plan is shown below.</p>
      <p class="legend"><span><i class="key bar"></i>exchange</span><span><i class="key planned"></i>planned delay</span>\
      <span><i class="key actual"></i>measured delay</span><span><i class="key asked"></i>Retry-After</span>\
      <span>\(Glyph.success.svg) answered</span><span>\(Glyph.refused.svg) refused</span>\
      <span>\(Glyph.unavailable.svg) not now</span><span>\(Glyph.lost.svg) lost</span>\
      <span>\(Glyph.damaged.svg) damaged</span></p>
      \(cards)
      </section>
      """
  }

  private func card(_ request: LogicalRequest) -> String {
    let axis = Axis(request)
    let rows = request.attempts.enumerated().map { row($1, number: $0 + 1, axis, retryOf: request) }
    let more = request.count - request.attempts.count
    let rest = more > 0 ? "<p class=\"more\">and \(ReportText.count(more, "more attempt"))</p>" : ""
    return """
      <article><h3><b>\(Markup.escaped(request.method))</b> <code>\(Markup.escaped(request.target))</code>\(purpose(of: request))\
      <span>\(ReportText.count(request.count, "attempt"))\(request.isKeyed ? ", with a key" : "")</span></h3>
      <ol>\(rows.joined(separator: "\n"))</ol>\(rest)
      <p class="axis"><span>0</span><span>\(ReportText.duration(axis.length))</span></p></article>
      """
  }

  /// Returns the purpose of a write: the room to book, or the values to set.
  private func purpose(of request: LogicalRequest) -> String {
    request.purpose.isEmpty ? "" : " <code class=\"purpose\">\(Markup.escaped(request.purpose))</code>"
  }

  private func row(
    _ attempt: LogicalRequest.Attempt, number: Int, _ axis: Axis, retryOf request: LogicalRequest
  ) -> String {
    let glyph = Glyph(attempt.result)
    let start = axis.percent(attempt.arrival)
    let width = max(0.4, axis.share(attempt.end - attempt.arrival))
    var bar =
      "<i class=\"bar \(glyph.rawValue)\" style=\"left:\(start)%;width:\(axis.capped(width, from: start))%\"></i>"
    bar +=
      span("planned", "planned delay", attempt.plan.delay, start, axis)
      + span("actual", "measured delay", attempt.plan.delay > .zero ? attempt.measuredDelay : .zero, start, axis)
    if let wait = attempt.retryAfter {
      bar += span("asked", "Retry-After", wait, axis.percent(attempt.end), axis)
    }
    let edge = axis.capped(start + width, from: 0)
    bar += "<span class=\"end\" style=\"left:\(edge)%\">\(glyph.svg)</span>"
    var parts = [
      ending(of: attempt),
      ReportText.duration(attempt.end - attempt.arrival),
    ]
    if let wait = attempt.retryAfter { parts.append("Retry-After \(ReportText.duration(wait))") }
    if attempt.isApplied { parts.append("applied") }
    if attempt.wasReplayed { parts.append("repeated by the transport") }
    let plan = attempt.plan.description
    let fault = plan.isEmpty ? "" : "<em>\(Markup.escaped(plan))</em>"
    return """
      <li id="a\(prefix)\(attempt.id)"><span class="no">#\(attempt.id)</span><div class="lane">\(bar)</div>\
      <p>\(parts.joined(separator: " · "))\(fault)</p></li>
      """
  }

  /// Returns the end of an attempt as text, which distinguishes a client that left from a response that the server cut
  /// off.
  private func ending(of attempt: LogicalRequest.Attempt) -> String {
    let start = attempt.status.map { "\($0)" } ?? "no response"
    if attempt.hasClientLeft { return start + ", the client left" }
    return attempt.result == .lost && attempt.status != nil ? start + ", then cut off" : start
  }

  private func span(
    _ kind: String, _ title: String, _ duration: Duration, _ start: Double, _ axis: Axis
  ) -> String {
    guard duration > .zero else { return "" }
    let width = axis.capped(max(0.3, axis.share(duration)), from: start)
    return
      "<i class=\"\(kind)\" style=\"left:\(start)%;width:\(width)%\" title=\"\(title) \(ReportText.duration(duration))\"></i>"
  }
}

/// The time span of a request's attempts, in hundredths.
private struct Axis {
  let start: MonotonicInstant
  let length: Duration

  init(_ request: LogicalRequest) {
    let first = request.attempts.first?.arrival ?? request.last.arrival
    start = request.attempts.map(\.arrival).min() ?? first
    let end = request.attempts.map { max($0.end, $0.arrival + $0.plan.delay) }.max() ?? first
    length = max(.milliseconds(1), end - start)
  }

  func percent(_ tick: MonotonicInstant) -> Double { share(tick - start) }

  func share(_ duration: Duration) -> Double {
    let hundredths = Double(duration.nanoseconds) / Double(length.nanoseconds) * 10_000
    return Double(Int(max(0, min(10_000, hundredths)))) / 100
  }

  func capped(_ width: Double, from start: Double) -> Double {
    Double(Int(max(0, min(width, 100 - start)) * 100)) / 100
  }
}

/// The end of an attempt, by shape.
private enum Glyph: String {
  case success, refused, unavailable, lost, damaged

  init(_ result: Observation.Result) {
    switch result {
    case .success, .cut: self = .success
    case .rejected: self = .refused
    case .unavailable: self = .unavailable
    case .lost: self = .lost
    case .damaged: self = .damaged
    }
  }

  var svg: String {
    let shape =
      switch self {
      case .success: "<circle cx=\"6\" cy=\"6\" r=\"4.5\"/>"
      case .refused: "<rect x=\"1.5\" y=\"1.5\" width=\"9\" height=\"9\"/>"
      case .unavailable: "<path d=\"M6 1 11.5 11H.5z\"/>"
      case .lost: "<path class=\"stroke\" d=\"M2 2l8 8M10 2l-8 8\"/>"
      case .damaged: "<path d=\"M6 .5 11.5 6 6 11.5.5 6z\"/>"
      }
    return "<svg class=\"glyph \(rawValue)\" viewBox=\"0 0 12 12\" aria-hidden=\"true\">\(shape)</svg>"
  }
}
