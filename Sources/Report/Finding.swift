/// The result of a check.
package struct Finding: Sendable, Equatable {
  package let verdict: Verdict
  let sentence: String
  let evidence: [Int]

  init(_ verdict: Verdict, _ sentence: String, _ evidence: Evidence = Evidence()) {
    self.verdict = verdict
    self.sentence = sentence
    self.evidence = evidence.ids
  }
}

/// The first ids that prove a finding, each once; more are not needed.
struct Evidence: Sendable, Equatable {
  static let maximumIDs = 20

  private(set) var ids: [Int] = []

  init() {}

  init(ids: [Int]) { self.ids = Array(ids.prefix(Self.maximumIDs)) }

  /// A list of arguments would be an allocation, also where the evidence is full.
  mutating func add(_ id: Int) {
    if ids.count < Self.maximumIDs, !ids.contains(id) { ids.append(id) }
  }

  mutating func add(_ first: Int, _ second: Int) {
    add(first)
    add(second)
  }
}
