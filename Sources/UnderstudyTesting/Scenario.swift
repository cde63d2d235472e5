public import Faults
import JSON

/// A scenario as a backend takes it: the name of a built-in one, the text of a scenario file, or a list of rules.
///
/// Built-in scenarios are constants, such as `.lostAck`; others are built from rules:
///
/// ```swift
/// let tunnel = Scenario("tunnel") {
///   Rule(.reset, for: .writes, when: .first(1), phase: .after)
/// }
/// ```
public struct Scenario: Sendable, Equatable {
  private let content: Content

  private enum Content: Sendable, Equatable {
    case named(String)
    case text(String)
    case rules(Faults.Scenario)
  }

  private init(_ content: Content) { self.content = content }

  /// Creates a scenario of rules.
  ///
  /// - Parameters:
  ///   - name: The name in reports and in the dashboard.
  ///   - about: One or two sentences about the situation that it simulates.
  ///   - rules: The rules; an empty list is a backend without faults.
  public init(_ name: String? = nil, about: String? = nil, @ListBuilder<Rule> rules: () -> [Rule]) {
    content = .rules(Faults.Scenario(name: name ?? Faults.Scenario.unnamed, about: about ?? "", rules: rules()))
  }

  /// Returns the built-in scenario of this name. The server refuses an unknown name, and lists the known ones.
  public static func named(_ name: String) -> Scenario { Scenario(.named(name)) }

  /// Returns a scenario in the grammar of scenario files, from JSON text. The server refuses an invalid scenario.
  public static func json(_ text: String) -> Scenario { Scenario(.text(text)) }

  /// Returns the scenario in the form that the control API accepts.
  func json() throws(BackendError) -> JSONValue {
    switch content {
    case .named(let name): return .string(name)
    case .rules(let scenario): return scenario.json
    case .text(let text): return try JSONValue(argument: Array(text.utf8), "scenario")
    }
  }

  public static let calm = named("calm")
  public static let original = named("original")
  public static let basement = named("basement")
  public static let elevator = named("elevator")
  public static let train = named("train")
  public static let hotelWiFi = named("hotel-wifi")
  public static let edge = named("edge")
  public static let threeG = named("3g")
  public static let lostAck = named("lost-ack")
  public static let overload = named("overload")
  public static let rateLimited = named("rate-limited")
  public static let weatherLimit = named("weather-limit")
  public static let coldStart = named("cold-start")
  public static let rushHour = named("rush-hour")
  public static let schemaDrift = named("schema-drift")
  public static let mayhem = named("mayhem")
}

/// Collects the elements of a list that is written as statements.
@resultBuilder public enum ListBuilder<Element> {
  public static func buildExpression(_ element: Element) -> [Element] { [element] }
  public static func buildBlock(_ parts: [Element]...) -> [Element] { parts.flatMap { $0 } }
  public static func buildOptional(_ part: [Element]?) -> [Element] { part ?? [] }
  public static func buildEither(first part: [Element]) -> [Element] { part }
  public static func buildEither(second part: [Element]) -> [Element] { part }
  public static func buildArray(_ parts: [[Element]]) -> [Element] { parts.flatMap { $0 } }
}
