/// The rules that may match a request, by API and method, so that a request never examines the others.
struct RuleTable: Sendable {
  /// One row for each API that a rule names, and one for all other APIs. Each row has one column for each known method,
  /// and one for all other methods.
  private let rows: [(api: String?, columns: [[Int]])]

  init(_ rules: [Rule]) {
    let apis = Set(rules.compactMap(\.match.api)).sorted()
    let methods: [String?] = Match.knownMethods + [nil]
    rows = (apis + [nil]).map { api in
      let inRow = rules.indices.filter { rules[$0].match.api.map { $0 == api } ?? true }
      let columns = methods.map { method in
        inRow.filter { index in
          let named = rules[index].match.methods
          return named.isEmpty || method.map(named.contains) ?? false
        }
      }
      return (api, columns)
    }
  }

  /// Returns the indices of the rules that may match a request of the stream, in the scenario's order.
  func indices(_ stream: RequestKey) -> [Int] {
    let column = Self.column(stream.method)
    for row in rows where row.api == nil || row.api == stream.api { return row.columns[column] }
    return []
  }

  private static func column(_ method: String) -> Int {
    for (column, known) in Match.knownMethods.enumerated() where known == method { return column }
    return Match.knownMethods.count
  }
}
