import Foundation
import JSON

/// A whole reply that is not what was asked for.
struct UnreadableBody: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

extension TransportResponse {
  /// The body as JSON, whatever its media type says: real services call theirs by several names.
  ///
  /// Foundation reads what is no JSON, such as a comma before the last brace; but who garbled a reply may have garbled
  /// more, and an acknowledgement is to be beyond doubt.
  func decoded<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
    do {
      _ = try JSON(parsing: Array(body))
    } catch {
      throw UnreadableBody("It is no JSON: \(error)")
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
