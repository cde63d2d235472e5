import JSON
import Primitives

/// The journal's entries that prove something, folded, each with the heads and the body that the journal had.
struct EntryList {
  private let entries: [(id: Int, json: JSONValue)]
  private let prefix: String

  /// - Parameter prefix: The text that tells the anchors from those of other cards.
  init(_ entries: [Int: JSONValue], prefix: String) {
    self.entries = entries.sorted { $0.key < $1.key }.map { (id: $0.key, json: $0.value) }
    self.prefix = prefix
  }

  /// The anchor of an entry; nil if the list does not have it.
  func anchor(of id: Int) -> String? { entries.contains { $0.id == id } ? "e\(prefix)\(id)" : nil }

  var html: String {
    guard !entries.isEmpty else { return "" }
    return """
      <section aria-label="Entries"><h2>Entries</h2>
      <p class="how">The journal's entries that the verdicts cite. Secrets are masked.</p>
      \(entries.map(item).joined(separator: "\n"))
      </section>
      """
  }

  /// The anchor stands inside, so that following a link to it opens the entry.
  private func item(_ entry: (id: Int, json: JSONValue)) -> String {
    let json = entry.json
    let what = json["event"]?.string.map { [$0] } ?? [json["method"]?.string ?? "", json["target"]?.string ?? ""]
    let status = json["response"]?["status"]?.int.map { "\($0), " } ?? ""
    return """
      <details class="entry"><summary>#\(entry.id) <code>\(Markup.escaped(what.joined(separator: " ")))</code> \
      <span>\(status)\(Markup.escaped(json["outcome"]?.string ?? "event"))</span></summary>
      <pre id="e\(prefix)\(entry.id)">\(lines(of: json).map(Markup.escaped).joined(separator: "\n"))</pre></details>
      """
  }

  private func lines(of json: JSONValue) -> [String] {
    var lines = [json["at"]?.string ?? ""]
    guard let request = json["request"] else { return lines + [json["event"]?.string ?? ""] }
    lines += ["", "\(json["method"]?.string ?? "") \(json["target"]?.string ?? "") HTTP/1.1"]
    lines += fields(request["headers"])
    if let body = request["body"]?.string, !body.isEmpty {
      lines += [""] + body.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
    }
    lines.append("")
    if let response = json["response"], let status = response["status"]?.int {
      lines += ["HTTP/1.1 \(status)"] + fields(response["headers"])
      lines += ["", "(\(response["bytes"]?.int ?? 0) of \(response["of"]?.int ?? 0) bytes of the body were sent)"]
    } else {
      lines.append("(no response)")
    }
    if let plan = json["plan"], plan != .null { lines += ["", "plan: \(plan.text)"] }
    if json["applied"]?.bool == true { lines.append("The write was applied.") }
    return lines
  }

  private func fields(_ headers: JSONValue?) -> [String] {
    headers?.object?.members.map { "\($0.name): \($0.value.string ?? "")" } ?? []
  }
}
