import Primitives
import Services

/// The hash of content that comes in parts. It does not depend on where the content is divided, nor on the boundary between
/// the parts of a multipart content.
struct ContentHash: Sendable {
  private var blocks = Fingerprint()
  /// The bytes of the last block, which is not full.
  private var rest: [UInt8] = []
  /// The beginning of the lines between the parts, which is left out; empty if the content is not multipart.
  private let delimiter: [UInt8]
  /// The number of the delimiter's bytes with which the current line begins so far; nil if it begins otherwise.
  private var matched: Int?

  /// The number of further bytes that count.
  private var left: Int

  private static let blockSize = 4 << 10

  /// - Parameters:
  ///   - type: The `Content-Type` field as sent.
  ///   - limit: The number of bytes after which all contents are equal.
  init(type: ArraySlice<UInt8>? = nil, limit: Int = .max) {
    left = limit
    delimiter = type.flatMap(ContentMeaning.delimiter(in:)) ?? []
    matched = delimiter.isEmpty ? nil : 0
  }

  /// Returns the hash of content that has come whole.
  static func value(of content: ArraySlice<UInt8>) -> UInt64 {
    var hash = ContentHash()
    hash.add(content)
    return hash.value
  }

  mutating func add(_ bytes: ArraySlice<UInt8>) {
    var bytes = bytes.prefix(left)
    left -= bytes.count
    guard !delimiter.isEmpty else { return addWhole(bytes) }
    while let byte = bytes.first {
      if let count = matched {
        if byte == delimiter[count] {
          matched = count + 1 < delimiter.count ? count + 1 : nil
          bytes = bytes.dropFirst()
        } else {
          addWhole(delimiter[..<count])
          matched = nil
        }
        continue
      }
      let end = bytes.firstIndex(of: Byte.lineFeed).map { $0 + 1 }
      addWhole(bytes[..<(end ?? bytes.endIndex)])
      bytes = bytes[(end ?? bytes.endIndex)...]
      if end != nil { matched = 0 }
    }
  }

  private mutating func addWhole(_ bytes: ArraySlice<UInt8>) {
    rest += bytes
    guard rest.count >= Self.blockSize else { return }
    var start = 0
    while rest.count - start >= Self.blockSize {
      blocks.add(rest, start..<start + Self.blockSize)
      start += Self.blockSize
    }
    rest.removeFirst(start)
  }

  var value: UInt64 {
    var whole = blocks
    whole.add((rest + delimiter.prefix(matched ?? 0))[...])
    return whole.value
  }
}
