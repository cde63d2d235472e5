import JSON
import Primitives

/// The content of a request, JSON or a form, read as far as rules of semantics ask for it.
package struct RequestContent: Sendable {
  private let bytes: ArraySlice<UInt8>
  /// True if there is nothing after `bytes`.
  private let isWhole: Bool
  private let isForm: Bool
  private let coding: String?
  /// The whole content, once it was parsed.
  private var document: JSONValue?

  /// Members beyond it are not read, because clients and faults wait for them.
  package static let maximumBytes = 64 << 10

  /// The reason for which the content cannot be read.
  struct Unreadable: Error, Equatable {
    let reason: String
  }

  /// - Parameters:
  ///   - bytes: The content, or its beginning.
  ///   - isWhole: False if more content follows.
  ///   - mediaType: The value of `Content-Type`.
  ///   - coding: The value of `Content-Encoding`.
  package init(_ bytes: ArraySlice<UInt8>, isWhole: Bool, mediaType: String?, coding: String?) {
    self.bytes = bytes.prefix(Self.maximumBytes)
    self.isWhole = isWhole && bytes.count <= Self.maximumBytes
    let first = bytes.first { !Byte.isBlank($0) && $0 != Byte.lineFeed && $0 != Byte.carriageReturn }
    // Some programs send JSON and call it a form, as curl does unless it is told otherwise.
    let looksLikeJSON = first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    isForm = !looksLikeJSON && mediaType?.lowercased().hasPrefix("application/x-www-form-urlencoded") == true
    self.coding = coding.flatMap { ["", "identity"].contains($0.lowercased()) ? nil : $0 }
  }

  /// Returns the values at a path of names; none if there are none.
  mutating func values(at path: [String]) throws(Unreadable) -> [JSONValue] {
    if bytes.isEmpty, isWhole { return [] }
    if let coding { throw Unreadable(reason: "the content has the coding \(coding)") }
    if isForm { return try formValues(named: path) }
    guard isWhole else { return try valuesInBeginning(at: path) }
    return try parsed().values(at: path[...])
  }

  private mutating func parsed() throws(Unreadable) -> JSONValue {
    if let document { return document }
    do throws(JSONSyntaxError) {
      let parsed = try JSONValue(parsing: bytes)
      document = parsed
      return parsed
    } catch {
      throw Unreadable(reason: "the content is neither JSON nor a form: \(error.detail)")
    }
  }

  private func valuesInBeginning(at path: [String]) throws(Unreadable) -> [JSONValue] {
    do throws(JSONSyntaxError) {
      return try JSONValue(at: path[...], inBeginning: bytes).values(at: [])
    } catch {
      let pointer = path.reduce(JSONPointer.root, /)
      throw Unreadable(reason: "the first \(bytes.count) bytes of the content do not have all of \(pointer)")
    }
  }

  private func formValues(named path: [String]) throws(Unreadable) -> [JSONValue] {
    let pairs = bytes.split(separator: UInt8(ascii: "&"))
    let values: [JSONValue] = (isWhole ? pairs[...] : pairs.dropLast()).compactMap { pair in
      let name = pair.prefix { $0 != UInt8(ascii: "=") }
      guard path == [PercentCoding.decode(name, plusIsSpace: true)] else { return nil }
      return .string(PercentCoding.decode(pair.dropFirst(name.count + 1), plusIsSpace: true))
    }
    if values.isEmpty, !isWhole {
      let pointer = path.reduce(JSONPointer.root, /)
      throw Unreadable(reason: "the first \(bytes.count) bytes of the content do not have all of \(pointer)")
    }
    return values
  }
}
