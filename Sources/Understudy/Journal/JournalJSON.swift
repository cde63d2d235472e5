import Contract
import Faults
import JSON
import Primitives
import Report

extension Entry {
  /// The form in `/_mock/journal`.
  var json: JSONValue {
    var members = [
      JSONValue.Member("id", .int(id)),
      JSONValue.Member("seq", .int(seq)),
      JSONValue.Member("at", .string(Timestamp.microseconds(at))),
    ]
    if outcome == .event {
      members.append(JSONValue.Member("event", .string(Self.text(texts.event))))
      if let versions { members.append(versionsMember(versions)) }
      return .object(JSONValue.Object(members))
    }
    var path = NormalizedPath()
    path.read(texts.bytes, texts.path.indices)
    while path.takeLabel() != nil {}
    let headers = Self.fields(Self.text(texts.fields))
    members += [
      JSONValue.Member("api", API.declared(at: api).map { .string($0.name) } ?? .null),
      JSONValue.Member("connection", .int(connection)),
      JSONValue.Member("method", .string(Self.text(texts.method))),
      JSONValue.Member("target", .string(Self.text(texts.target))),
      JSONValue.Member("path", .string(path.canonical)),
      JSONValue.Member("operation", details?.operation.map { .string($0) } ?? .null),
      JSONValue.Member("n", n > 0 ? .int(n) : .null),
      JSONValue.Member("request", ["headers": headers, "body": .string(Self.text(texts.body))]),
      JSONValue.Member("plan", plan.map { $0.json.merging(["effects": .array($0.effects)]) } ?? .null),
      JSONValue.Member("response", response.flatMap { isHTTP ? json(of: $0) : nil } ?? .null),
      JSONValue.Member("outcome", .string(outcome.word)),
      JSONValue.Member("applied", isEffectUnknown ? .null : .bool(isApplied)),
      JSONValue.Member("timing", timing),
      JSONValue.Member("replayOf", replayOf.map { .int($0) } ?? .null),
    ]
    let trace = headers.object?.members.first { $0.name.lowercased() == "traceparent" }?.value.string
    if let trace, TraceParent.isValid(trace) { members.append(JSONValue.Member("traceparent", .string(trace))) }
    if let network { members.append(JSONValue.Member("network", .string(network.rawValue))) }
    if let versions, isApplied { members.append(versionsMember(versions)) }
    if let upstream = details?.upstream { members.append(JSONValue.Member("upstream", upstream.json)) }
    if let reason = details?.undeclaredReason { members.append(JSONValue.Member("undeclared", .string(reason))) }
    if let remark = details?.remark { members.append(JSONValue.Member("remark", .string(remark))) }
    return .object(JSONValue.Object(members))
  }

  private func versionsMember(_ versions: Range<Int>) -> JSONValue.Member {
    JSONValue.Member("versions", ["from": .int(versions.lowerBound), "to": .int(versions.upperBound)])
  }

  private func json(of begun: Response) -> JSONValue {
    var response = JSONValue.Object([
      JSONValue.Member("status", .int(begun.status)),
      JSONValue.Member("headers", Self.fields(Self.text(texts.responseFields))),
      JSONValue.Member("bytes", .int(begun.bytes)), JSONValue.Member("of", .int(begun.of)),
    ])
    response["body"] = texts.responseBody.map { .string(Self.text($0)) }
    return .object(response)
  }

  private var timing: JSONValue {
    [
      "planned": .string(DurationText.text(plan?.delay ?? .zero)),
      "actual": .string(DurationText.text(measured.duration)),
      "total": .string(DurationText.text(total.duration)),
    ]
  }

  private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

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

extension Entry {
  /// True if the client could read a response, or the beginning of one; false for bytes that are no HTTP.
  var isHTTP: Bool { plan?.fault?.action.kind != .garbage || outcome == .notDeliverable }
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
