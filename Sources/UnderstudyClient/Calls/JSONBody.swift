import Foundation
import JSON

/// A complete response whose body is not the expected one.
struct UnreadableBody: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

extension TransportResponse {
  /// Decodes the body as JSON, whatever its media type: real services use several.
  ///
  /// The text is checked first, because Foundation also accepts invalid JSON, such as a trailing comma. A body with one
  /// error may have others, and an acknowledgement must be unmistakable.
  func decoded<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
    do {
      _ = try JSONValue(parsing: Array(body))
    } catch {
      throw UnreadableBody("The body is not JSON: \(error)")
    }
    return try JSONDecoder().decode(type, from: body)
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
