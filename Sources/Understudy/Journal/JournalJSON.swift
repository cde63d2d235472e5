import Contract
import Faults
import JSON
import Primitives
import Report
import Services

extension Journal {
  /// Returns an entry in the form of `/_mock/journal`.
  func json(_ entry: ExchangeRecord) -> JSONValue {
    var members = [
      JSONValue.Member("id", .int(entry.id)),
      JSONValue.Member("seq", .int(entry.seq)),
      JSONValue.Member("at", .string(Timestamp.microseconds(entry.at))),
    ]
    let bytes = text(entry.texts.range) ?? []
    if entry.outcome == .event {
      members.append(JSONValue.Member("event", .string(String(decoding: bytes, as: UTF8.self))))
      if let versions = entry.versions { members.append(versionsMember(versions)) }
      return .object(JSONValue.Object(members))
    }
    func shown(_ part: ExchangeRecord.Texts.Part) -> String {
      String(decoding: bytes[part.clamped(to: bytes.indices)], as: UTF8.self)
    }
    var path = NormalizedPath()
    path.read(bytes, entry.texts.path.clamped(to: bytes.indices))
    while path.takeLabel() != nil {}
    let headers = Self.fields(shown(entry.texts.fields))
    let plan = plan(of: entry)
    members += [
      JSONValue.Member("api", API.declared(at: entry.api).map { .string($0.name) } ?? .null),
      JSONValue.Member("connection", .int(entry.connection)),
      JSONValue.Member("method", .string(shown(entry.texts.method))),
      JSONValue.Member("target", .string(shown(entry.texts.target))),
      JSONValue.Member("path", .string(path.canonical)),
      JSONValue.Member("operation", operation(of: entry).map { .string($0) } ?? .null),
      JSONValue.Member("n", entry.n > 0 ? .int(entry.n) : .null),
      JSONValue.Member(
        "request", ["headers": headers, "body": .string(shown(entry.texts.body))]),
      JSONValue.Member("plan", plan.map { $0.json.merging(["effects": .array($0.effects)]) } ?? .null),
      JSONValue.Member(
        "response", entry.response.flatMap { entry.isHTTP(plan) ? response($0, of: entry) : nil } ?? .null),
      JSONValue.Member("outcome", .string(entry.outcome.word)),
      JSONValue.Member("applied", entry.isEffectUnknown ? .null : .bool(entry.isApplied)),
      JSONValue.Member("timing", Self.timing(entry, planned: plan?.delay ?? .zero)),
      JSONValue.Member("replayOf", entry.replayOf.map { .int($0) } ?? .null),
    ]
    let trace = headers.object?.members.first { $0.name.lowercased() == "traceparent" }?.value.string
    if let trace, TraceParent.isValid(trace) { members.append(JSONValue.Member("traceparent", .string(trace))) }
    if let network = entry.network { members.append(JSONValue.Member("network", .string(network.rawValue))) }
    if let versions = entry.versions, entry.isApplied { members.append(versionsMember(versions)) }
    if let upstream = upstream(of: entry) { members.append(JSONValue.Member("upstream", upstream.json)) }
    if let reason = undeclaredReason(of: entry) { members.append(JSONValue.Member("undeclared", .string(reason))) }
    if let remark = remark(on: entry) { members.append(JSONValue.Member("remark", .string(remark))) }
    return .object(JSONValue.Object(members))
  }

  private func versionsMember(_ versions: Range<Int>) -> JSONValue.Member {
    JSONValue.Member("versions", ["from": .int(versions.lowerBound), "to": .int(versions.upperBound)])
  }

  private func response(_ record: ExchangeRecord.Response, of entry: ExchangeRecord) -> JSONValue {
    let lines = text(record.fields).map { String(decoding: $0, as: UTF8.self) } ?? ""
    var response = JSONValue.Object([
      JSONValue.Member("status", .int(record.status)), JSONValue.Member("headers", Self.fields(lines)),
      JSONValue.Member("bytes", .int(record.bytes)), JSONValue.Member("of", .int(record.of)),
    ])
    response["body"] = responseBody(of: entry).map { .string(String(decoding: $0, as: UTF8.self)) }
    return .object(response)
  }

  private static func timing(_ entry: ExchangeRecord, planned: Duration) -> JSONValue {
    [
      "planned": .string(DurationText.text(planned)), "actual": .string(DurationText.text(entry.measured.duration)),
      "total": .string(DurationText.text(entry.total.duration)),
    ]
  }

  /// Returns field lines as an object; values of the same name are joined.
  ///
  /// Lines are split by bytes: a colon before a combining accent is another `Character`.
  private static func fields(_ lines: String) -> JSONValue {
    var object = JSONValue.Object()
    for line in lines.utf8.split(whereSeparator: { $0 == 0x0D || $0 == 0x0A }) {
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
      let sent = String(decoding: line[..<colon], as: UTF8.self)
      let name = object.members.first { $0.name.lowercased() == sent.lowercased() }?.name ?? sent
      let value = String(decoding: line[colon...].dropFirst(), as: UTF8.self).trimmingBlanks
      object[name] = .string(object[name]?.string.map { $0 + ", " + value } ?? value)
    }
    return .object(object)
  }
}

extension ExchangeRecord {
  /// True if the client could read a response, or the beginning of one; false for bytes that are no HTTP.
  ///
  /// - Parameter plan: The plan of the exchange.
  func isHTTP(_ plan: Plan?) -> Bool { plan?.fault?.action.kind != .garbage || outcome == .notDeliverable }
}

extension UpstreamOutcome {
  fileprivate var json: JSONValue {
    var members: [JSONValue.Member] = []
    if let status { members.append(JSONValue.Member("status", .int(status))) }
    if let failure { members.append(JSONValue.Member("failure", .string(failure.rawValue))) }
    members.append(JSONValue.Member("milliseconds", .int(Int(duration.nanoseconds / 1_000_000))))
    if isLate { members.append(JSONValue.Member("late", true)) }
    return .object(JSONValue.Object(members))
  }
}
