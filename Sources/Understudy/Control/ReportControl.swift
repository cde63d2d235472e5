import Contract
import HTTP1
import JSON
import Report
import Services

extension ControlService {
  static func getReport(_ command: Command) throws(Problem) -> Performance {
    let query = command.call.query
    try query.allow(["final", "format"])
    let form: ReportCard.Format
    if let name = query["format"] {
      guard let named = ReportCard.Format(rawValue: name) else {
        let names = ReportCard.Format.allCases.map(\.rawValue).joined(separator: ", ")
        throw .parameter("format", "expected one of \(names), found \(name)")
      }
      form = named
    } else {
      form = ReportCard.Format(Accept(command.accept ?? ""))
    }
    let isFinal = try query.flag("final") ?? false
    let chosen = form
    return .rendering(.worker) {
      let card = command.sandbox.pendingCard(
        at: command.application.tick, command.application.realTime, isFinal: isFinal)
      return {
        let vary = ResponseField("Vary", "Accept")
        guard chosen == .html else {
          return Response(200, Representation(chosen.bytes(of: card()), chosen.mediaType), fields: [vary])
        }
        let page = ReportPage(card())
        return Response(
          200, Representation(Array(page.html.utf8), .html),
          fields: [vary, ResponseField(PagePolicy.fieldName, page.policy)])
      }
    }
  }
}

extension ReportCard.Format {
  var mediaType: MediaType {
    switch self {
    case .json: .bareJSON
    case .text: .text
    case .html: .html
    case .junit: .xml
    }
  }

  private var names: [String] {
    switch self {
    case .json: ["application/json"]
    case .text: ["text/plain"]
    case .html: ["text/html"]
    case .junit: ["application/xml", "text/xml"]
    }
  }

  /// Returns the format that `Accept` prefers: the highest weight, the first of equals; JSON if it names none.
  init(_ accept: Accept) {
    let named = accept.ranges.lazy.filter { $0.weight > 0 }.compactMap { range in
      Self.allCases.first { $0.names.contains(range.name) }.map { (form: $0, weight: range.weight) }
    }
    var best: (form: ReportCard.Format, weight: Double)?
    for candidate in named where candidate.weight > best?.weight ?? 0 { best = candidate }
    self = best?.form ?? .json
  }
}
