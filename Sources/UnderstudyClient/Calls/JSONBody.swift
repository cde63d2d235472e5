import Foundation
import JSON
import Primitives

/// A complete response whose body is not the expected one.
struct UnreadableBody: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

extension TransportResponse {
  /// The body without the byte order mark with which some services begin it (RFC 8259 section 8.1).
  var text: Data { body.starts(with: [0xEF, 0xBB, 0xBF]) ? body.dropFirst(3) : body }

  /// True if the body is a web page, like the log-in page of a network. Some services label JSON as HTML.
  var isWebPage: Bool {
    switch text.first(where: { $0 > Byte.space }) {
    case UInt8(ascii: "<"): true
    case UInt8(ascii: "{"), UInt8(ascii: "["): false
    default: header("Content-Type")?.lowercased().hasPrefix("text/html") == true
    }
  }

  /// True if the body is a JSON object, whatever its media type.
  var isJSONObject: Bool { if case .object? = try? JSONValue(parsing: Array(text)) { true } else { false } }

  /// Decodes the body as JSON, whatever its media type: real services use several.
  ///
  /// The text is checked first, because Foundation also accepts invalid JSON, such as a trailing comma. A body with one
  /// error may have others, and an acknowledgement must be unmistakable.
  func decoded<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
    do {
      _ = try JSONValue(parsing: Array(text))
    } catch {
      throw UnreadableBody("The body is not JSON: \(error)")
    }
    return try JSONDecoder().decode(type, from: text)
  }
}

/// Request bodies.
enum JSONBody {
  static func encode(_ value: some Encodable) throws(RequestError) -> Data {
    do {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      return try encoder.encode(value)
    } catch {
      throw .notSent(.unreadable("The request's body cannot be written: \(error)"))
    }
  }
}
