import Contract
import Faults
import JSON

extension Journal {
  /// Returns an entry in the form of `/_mock/journal`.
  func json(_ entry: JournalEntry) -> JSON {
    var members = [
      JSON.Member("id", .int(entry.id)),
      JSON.Member("seq", .int(entry.seq)),
      JSON.Member("at", .string(Timestamp.microseconds(entry.at))),
    ]
    let bytes = text(entry.texts.range) ?? []
    if entry.outcome == .event {
      members.append(JSON.Member("event", .string(String(decoding: bytes, as: UTF8.self))))
      if let versions = entry.versions { members.append(versionsMember(versions)) }
      return .object(JSON.Object(members))
    }
    var rest = bytes[...]
    func take(_ count: Int) -> String {
      defer { rest = rest.dropFirst(count) }
      return String(decoding: rest.prefix(count), as: UTF8.self)
    }
    let texts = (method: take(entry.texts.method), target: take(entry.texts.target), path: take(entry.texts.path))
    let headers = Self.fields(take(entry.texts.fields))
    members += [
      JSON.Member("api", entry.api.map { .string(API.all[$0].name) } ?? .null),
      JSON.Member("connection", .int(entry.connection)),
      JSON.Member("method", .string(texts.method)),
      JSON.Member("target", .string(texts.target)),
      JSON.Member("path", .string(texts.path)),
      JSON.Member("n", entry.n > 0 ? .int(entry.n) : .null),
      JSON.Member(
        "request", ["headers": headers, "body": .string(take(entry.texts.body))]),
      JSON.Member("plan", plan(of: entry).map { $0.json.merging(["effects": .array($0.effects)]) } ?? .null),
      JSON.Member("response", entry.response.map { response($0) } ?? .null),
      JSON.Member("outcome", .string(entry.outcome.word)),
      JSON.Member("applied", .bool(entry.isApplied)),
      JSON.Member("timing", timing(entry.timing)),
      JSON.Member("replayOf", entry.replayOf.map { .int($0) } ?? .null),
    ]
    let trace = headers.object?.members.first { $0.name.lowercased() == "traceparent" }?.value.string
    if let trace, TraceParent.isValid(trace) { members.append(JSON.Member("traceparent", .string(trace))) }
    if let network = entry.network { members.append(JSON.Member("network", .string(network.rawValue))) }
    if let versions = entry.versions, entry.isApplied { members.append(versionsMember(versions)) }
    if let remark = entry.remark { members.append(JSON.Member("remark", .string(remark))) }
    return .object(JSON.Object(members))
  }

  private func versionsMember(_ versions: Range<Int>) -> JSON.Member {
    JSON.Member("versions", ["from": .int(versions.lowerBound), "to": .int(versions.upperBound)])
  }

  private func response(_ record: JournalEntry.ResponseRecord) -> JSON {
    let lines = text(record.fields).map { String(decoding: $0, as: UTF8.self) } ?? ""
    return [
      "status": .int(record.status), "headers": Self.fields(lines), "bytes": .int(record.bytes), "of": .int(record.of),
    ]
  }

  private func timing(_ timing: JournalEntry.Timing) -> JSON {
    [
      "planned": .string(DurationText.text(timing.planned)), "actual": .string(DurationText.text(timing.actual)),
      "total": .string(DurationText.text(timing.total)),
    ]
  }

  /// Returns field lines as an object; values of the same name are joined.
  ///
  /// Lines are split at bytes: as a Character, a colon followed by a combining accent is not a colon.
  private static func fields(_ lines: String) -> JSON {
    var object = JSON.Object()
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
