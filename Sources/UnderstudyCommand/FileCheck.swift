import Contract
import JSON
import Services
import Understudy

/// The result of checking a scenario, a data file or a file of semantics.
struct FileCheck: Sendable {
  /// The kind of the file as text; nil if it is unknown.
  let subject: String?
  /// The first error with its position: `scenario.json:3:14: /rules/0: …`; nil if there is none.
  let complaint: String?

  /// The maximum size of a file.
  static let maximumBytes = 16 << 20

  /// - Parameters:
  ///   - path: The path of the file; a data file is recognized by its name, as in `devices.json`.
  ///   - bytes: The content of the file.
  ///   - target: The requests to which a scenario is to apply.
  init(_ path: String, _ bytes: [UInt8], for target: Scenarios.Target = .apis) {
    let document: JSONValue
    do throws(JSONFileError) {
      document = try JSONValue(file: bytes)
    } catch {
      (subject, complaint) = (nil, "\(path):\(error)")
      return
    }
    let name = path.split(separator: "/").last.map { $0.hasSuffix(".json") ? String($0.dropLast(5)) : String($0) }
    let violation: ValidationError?
    if let api = API.all.first(where: { $0.name == name }), document["rules"] == nil {
      subject = "data of \(api.name)"
      violation = SeedData.violation(in: document, of: api.name)
    } else if document["rules"] != nil || document.string != nil {
      let count = document["rules"]?.array?.count ?? 0
      subject =
        document.string.map { "the built-in scenario \($0)" } ?? "a scenario with \(count) rule\(count == 1 ? "" : "s")"
      do throws(ValidationError) {
        _ = try Scenarios.readFile(document, for: target)
        violation = nil
      } catch {
        violation = error
      }
    } else if let rules = document.array {
      subject = "semantics with \(rules.count) rule\(rules.count == 1 ? "" : "s")"
      violation = MockServer.violation(inSemantics: document)
    } else {
      subject = nil
      let files = API.all.map { $0.name + ".json" }.joined(separator: ", ")
      violation = ValidationError(
        .root,
        "expected a scenario (an object with \"rules\"), semantics (an array), or data in a file called one of \(files)"
          + Self.hint(document))
    }
    complaint = violation.map { "\(path):\($0.description(in: bytes))" }
  }

  /// Returns what to do with a file of another kind.
  private static func hint(_ document: JSONValue) -> String {
    if document["log"]?["entries"] != nil || document["entries"] != nil {
      return "; understudy scenario --from makes a scenario of a recording"
    }
    if document["runs"] != nil || document["checks"] != nil {
      return "; understudy report --merge reads report cards"
    }
    return document["rule"] != nil || document["Rules"] != nil ? "; did you mean rules?" : ""
  }
}
