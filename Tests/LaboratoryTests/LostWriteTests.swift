import Contract
import JSON
import LiveTesting
import Primitives
import Testing

@testable import Report
@testable import Understudy

/// Each write that the contract declares, in each way in which its response can be lost, and a read that shows what became
/// of it.
@Suite("A lost write of any operation", .busy)
struct LostWriteTests {
  private static let losses = [
    "fault=reset; phase=after", "fault=empty; phase=after", "fault=truncate; phase=after", "code=502; phase=after",
    "code=504; phase=after",
  ]

  private static let lookedAt: [Course] = API.all.flatMap { (api: API) -> [Course] in
    let looks = api.operations.filter { $0.method == .get && $0.effect.kind == .reads && !$0.semantics.isStream }
    return api.operations.filter { !$0.method.isSafe || ![.reads, .none].contains($0.effect.kind) }
      .flatMap { (write: Contract.Operation) -> [Course] in
        // The record itself where it can be read, and otherwise all of them.
        guard
          let look = looks.first(where: { $0.path == write.path }) ?? looks.first(where: { $0.effect.record == nil })
        else { return [] }
        return losses.map { course(of: write, look, in: api, losing: $0) }
      }
  }

  private static func course(
    of write: Contract.Operation, _ look: Contract.Operation, in api: API, losing loss: String
  ) -> Course {
    let body = write.documentation.body?.examples.first?.value.text
    return Course(
      "\(write.id) and then \(look.id), \(loss)",
      [
        .send(
          "app",
          Call(method: write.method.rawValue, path: path(of: write, in: api), body: body, prefer: loss)),
        .wait(.seconds(2)), .send("app", Call(path: path(of: look, in: api))),
      ])
  }

  /// The path of an operation with the values of its examples.
  private static func path(of operation: Contract.Operation, in api: API) -> String {
    var path = operation.path.text
    var query: [String] = []
    for parameter in operation.documentation.parameters {
      guard let value = parameter.example?.value else { continue }
      let text = (value.idText ?? value.text).replacing(" ", with: "%20")
      switch parameter.location {
      case .path: path = path.replacing("{\(parameter.name)}", with: text)
      case .query where operation.effect.record == .member(parameter.name): query.append("\(parameter.name)=\(text)")
      case .query, .header: break
      }
    }
    return "/@\(api.name)\(path)" + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
  }

  @Test("accuses no client that looks", arguments: lookedAt)
  func looks(course: Course) throws {
    let found = try course.play()
    #expect(found.isEmpty, "\(found.map { "\($0.key): \($0.value.sentence)" })")
  }

  @Test("is generated for every API")
  func isComplete() { #expect(Self.lookedAt.count >= 5 * API.all.count) }
}
