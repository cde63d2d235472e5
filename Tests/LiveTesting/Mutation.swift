package import JSON

extension FuzzRandom {
  /// Damages bytes at up to `maximum` positions: inserts and removes significant bytes, and duplicates, drops and moves
  /// pieces.
  package mutating func mutate(_ bytes: inout [UInt8], dictionary: [[UInt8]], atMost maximum: Int = 4) {
    for _ in 0..<Int.random(in: 0...maximum, using: &self) {
      let index = Int.random(in: 0...bytes.count, using: &self)
      let length = Int.random(in: 0...min(12, bytes.count - index), using: &self)
      let word = dictionary.randomElement(using: &self) ?? []
      switch Int.random(in: 0..<7, using: &self) {
      case 0: bytes.insert(contentsOf: word, at: index)
      case 1: bytes.replaceSubrange(index..<index + length, with: word)
      case 2 where index < bytes.count: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &self)
      case 3: bytes.removeSubrange(index..<index + length)
      case 4: bytes.insert(contentsOf: bytes[index..<index + length], at: index)
      case 5:
        let piece = bytes[index..<index + length]
        bytes.insert(contentsOf: piece, at: Int.random(in: 0...bytes.count, using: &self))
      default: bytes.insert(UInt8.random(in: 0...255, using: &self), at: index)
      }
    }
  }

  /// Returns the bytes in pieces of one byte up to `maximum`.
  package mutating func cut(_ bytes: [UInt8], atMost maximum: Int = 30) -> [ArraySlice<UInt8>] {
    var pieces: [ArraySlice<UInt8>] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = Int.random(in: 1...min(rest.count, maximum), using: &self)
      pieces.append(rest.prefix(count))
      rest = rest.dropFirst(count)
    }
    return pieces
  }
}

extension FuzzRandom {
  /// Returns the document with one of its values removed, renamed, duplicated or replaced; it stays valid JSON.
  ///
  /// - Parameter dictionary: Values that are significant somewhere in such a document.
  package mutating func mutated(_ json: JSONValue, dictionary: [JSONValue]) -> JSONValue {
    switch json {
    case .object(let object) where !object.members.isEmpty && !oneIn(8):
      var object = object
      let index = Int.random(in: 0..<object.members.count, using: &self)
      let member = object.members[index]
      switch Int.random(in: 0..<8, using: &self) {
      case 0: object.members.remove(at: index)
      case 1: object[member.name + "x"] = member.value
      case 2: object[object.members.randomElement(using: &self)?.name ?? ""] = member.value
      default: object[member.name] = mutated(member.value, dictionary: dictionary)
      }
      return .object(object)
    case .array(var elements) where !elements.isEmpty && !oneIn(8):
      let index = Int.random(in: 0..<elements.count, using: &self)
      switch Int.random(in: 0..<6, using: &self) {
      case 0: elements.remove(at: index)
      case 1: elements.append(elements[index])
      default: elements[index] = mutated(elements[index], dictionary: dictionary)
      }
      return .array(elements)
    case .string(let text) where oneIn(2):
      var bytes = Array(text.utf8)
      mutate(&bytes, dictionary: dictionary.compactMap { $0.string.map { Array($0.utf8) } }, atMost: 2)
      return .string(String(decoding: bytes, as: UTF8.self))
    default: return dictionary.randomElement(using: &self) ?? .null
    }
  }
}
