import Testing

@testable import HTTP1

/// A generator whose numbers are the same on every machine (Steele, Lea and Flood 2014).
struct SplitMix64: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

@Suite("Mutated requests")
struct FuzzTests {
  private static let telling = latin1("\r\n\r\n \t:;,=\"\\%#?/*@[]\0\u{7F}\u{80}\u{FF}0159aAfFxX")
  private static let tight = Limits(
    requestLine: 48, head: 96, fields: 4, method: 8, body: 12, chunkLine: 16, chunkOverhead: 24, trailers: 24,
    trailerFields: 2)

  @Test(
    "the verdict on any bytes does not depend on how they are cut (RFC 9112 2.2)",
    arguments: 1...4 as ClosedRange<UInt64>)
  func splits(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let vectors = Vector.all.filter { vector in !vector.bytes.isEmpty }
    for round in 0..<1000 {
      var bytes = vectors.randomElement(using: &random)?.bytes ?? []
      if Bool.random(using: &random) { bytes += vectors.randomElement(using: &random)?.bytes ?? [] }
      for _ in 0..<Int.random(in: 0...4, using: &random) { mutate(&bytes, &random) }
      let limits = Int.random(in: 0..<4, using: &random) == 0 ? Self.tight : .standard
      let whole = Run([bytes[...]], limits: limits).transcripts
      let note = "seed \(seed), round \(round): \"\(escaped(bytes))\""
      #expect(Run(bytes.indices.map { bytes[$0...$0] }, limits: limits).transcripts == whole, "\(note)")
      let pieces = cut(bytes, &random)
      #expect(Run(pieces, limits: limits).transcripts == whole, "\(note) in \(pieces.map(\.count))")
    }
  }

  private func cut(_ bytes: [UInt8], _ random: inout SplitMix64) -> [ArraySlice<UInt8>] {
    var pieces: [ArraySlice<UInt8>] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = Int.random(in: 1...min(rest.count, 30), using: &random)
      pieces.append(rest.prefix(count))
      rest = rest.dropFirst(count)
    }
    return pieces
  }

  private func mutate(_ bytes: inout [UInt8], _ random: inout SplitMix64) {
    let place = Int.random(in: 0...bytes.count, using: &random)
    let length = Int.random(in: 0...min(12, bytes.count - place), using: &random)
    let telling = Self.telling.randomElement(using: &random) ?? 0
    switch Int.random(in: 0..<6, using: &random) {
    case 0: bytes.insert(telling, at: place)
    case 1 where place < bytes.count: bytes[place] = telling
    case 2 where place < bytes.count: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    case 3: bytes.removeSubrange(place..<place + length)
    case 4: bytes.insert(contentsOf: bytes[place..<place + length], at: place)
    default: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
    }
  }
}
