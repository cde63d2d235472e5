import Contract
import JSON
import Services
import Understudy

/// The result of checking a scenario file or a data file.
struct FileCheck: Sendable {
  /// The kind of the file as text; nil if it is unknown.
  let subject: String?
  /// The first error with its position: `scenario.json:3:14: /rules/0: …`; nil if there is none.
  let complaint: String?

  /// - Parameters:
  ///   - path: The path of the file; a data file is recognized by its name, as in `devices.json`.
  ///   - bytes: The content of the file.
  init(_ path: String, _ bytes: [UInt8]) {
    let document: JSONValue
    do throws(JSONSyntaxError) {
      document = try JSONValue(parsing: bytes)
    } catch {
      let position = JSONLocator.position(of: error.offset, in: bytes)
      (subject, complaint) = (nil, "\(path):\(position): \(error.detail)")
      return
    }
    let name = path.split(separator: "/").last.map { $0.hasSuffix(".json") ? String($0.dropLast(5)) : String($0) }
    let violation: ValidationError?
    if let api = API.all.first(where: { $0.name == name }), document["rules"] == nil {
      subject = "data of \(api.name)"
      violation = SeedData.violation(in: document, of: api.name)
    } else if document["rules"] != nil || document.string != nil {
      subject = "a scenario with \(document["rules"]?.array?.count ?? 0) rules"
      do throws(ValidationError) {
        _ = try Scenarios.readSeeded(document)
        violation = nil
      } catch {
        violation = error
      }
    } else {
      subject = nil
      let files = API.all.map { $0.name + ".json" }.joined(separator: ", ")
      violation = ValidationError(
        .root, "expected a scenario, which has \"rules\", or a data file, called one of \(files)")
    }
    complaint = violation.map { Self.complaint($0, path, bytes) }
  }

  private static func complaint(_ violation: ValidationError, _ path: String, _ bytes: [UInt8]) -> String {
    let isName = violation.detail.hasPrefix("unknown")
    let position = JSONLocator(bytes).position(of: violation.pointer, isName: isName)
    let pointer = violation.pointer == .root ? "" : "\(violation.pointer): "
    return "\(path):\(position): \(pointer)\(violation.advised.detail)"
  }
}
