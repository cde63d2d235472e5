/// Results as JUnit XML, as CI servers read it: suites of cases.
package struct JUnit: Sendable {
  /// Cases under one name.
  package struct Suite: Sendable {
    package let name: String
    package let properties: [(name: String, value: String)]
    package let cases: [Case]
    /// The time that the cases took.
    package let duration: Duration

    package init(
      name: String, properties: [(name: String, value: String)] = [], cases: [Case], duration: Duration = .zero
    ) {
      self.name = name
      self.properties = properties
      self.cases = cases
      self.duration = duration
    }
  }

  package struct Case: Sendable {
    package enum Result: Sendable {
      /// Passed, with a note for the reader if there is one.
      case passed(note: String? = nil)
      case skipped(String)
      /// The fact to show is false.
      ///
      /// - Parameters:
      ///   - message: One sentence.
      ///   - text: The same with its proof.
      case failed(message: String, text: String)
      /// The case could not be judged: a sentence, and the kind of error.
      case error(String, type: String)
    }

    let name: String
    let outcome: Result
    let duration: Duration

    package init(name: String, _ outcome: Result, duration: Duration = .zero) {
      self.name = name
      self.outcome = outcome
      self.duration = duration
    }

    fileprivate var isFailed: Bool { if case .failed = outcome { true } else { false } }
    fileprivate var isError: Bool { if case .error = outcome { true } else { false } }
    fileprivate var isSkipped: Bool { if case .skipped = outcome { true } else { false } }
  }

  package let suites: [Suite]

  package init(suites: [Suite]) { self.suites = suites }

  package var xml: String {
    // The schema that Jenkins publishes has no total of skipped cases.
    var xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    xml += "<testsuites name=\"understudy\" \(Self.counts(suites.flatMap(\.cases))) "
    xml += "time=\"\(Self.seconds(suites.reduce(.zero) { $0 + $1.duration }))\">\n"
    for suite in suites { xml += Self.element(suite) }
    return xml + "</testsuites>\n"
  }

  private static func counts(_ cases: [Case]) -> String {
    let failures = cases.count(where: \.isFailed)
    return "tests=\"\(cases.count)\" failures=\"\(failures)\" errors=\"\(cases.count(where: \.isError))\""
  }

  private static func element(_ suite: Suite) -> String {
    var xml = "  <testsuite name=\"\(Markup.escaped(suite.name))\" \(counts(suite.cases))"
    xml += " skipped=\"\(suite.cases.count(where: \.isSkipped))\" time=\"\(seconds(suite.duration))\">\n"
    if !suite.properties.isEmpty {
      xml += "    <properties>\n"
      for property in suite.properties {
        xml += "      <property name=\"\(property.name)\" value=\"\(Markup.escaped(property.value))\"/>\n"
      }
      xml += "    </properties>\n"
    }
    for item in suite.cases { xml += element(item, suite.name) }
    return xml + "  </testsuite>\n"
  }

  private static func element(_ item: Case, _ suite: String) -> String {
    let names = "classname=\"\(Markup.escaped(suite))\" name=\"\(Markup.escaped(item.name))\""
    return "    <testcase \(names) time=\"\(seconds(item.duration))\">" + content(item) + "</testcase>\n"
  }

  private static func content(_ item: Case) -> String {
    switch item.outcome {
    case .passed(nil): ""
    case .passed(let note?): "<system-out>\(lines(note))</system-out>"
    case .skipped(let reason): "<skipped message=\"\(Markup.escaped(reason))\"/>"
    case .failed(let message, let text):
      "<failure message=\"\(Markup.escaped(message))\" type=\"\(Markup.escaped(item.name))\">\(lines(text))</failure>"
    case .error(let message, let type):
      "<error message=\"\(Markup.escaped(message))\" type=\"\(Markup.escaped(type))\">\(lines(message))</error>"
    }
  }

  /// Escapes text, line by line.
  private static func lines(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { Markup.escaped(String($0)) }
      .joined(separator: "\n")
  }

  /// A time in seconds with three decimals, as JUnit has it: `1.250`; `0` for none.
  private static func seconds(_ duration: Duration) -> String {
    let milliseconds = Int(duration / .milliseconds(1))
    guard milliseconds > 0 else { return "0" }
    return "\(milliseconds / 1_000)." + String(milliseconds % 1_000 + 1_000).dropFirst()
  }
}
