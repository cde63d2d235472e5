extension Effect.Kind {
  package static let garbage = Effect.Kind(
    plain: "garbage",
    Page(
      "Bytes that are not HTTP, like those of another program at the port.",
      wire: "64 bytes with the high bit set, then FIN.",
      limit: "It has no header fields, so only the journal names the fault.",
      example: #"{"fault": "garbage"}"#)
  ) { .ending(.garbage) }
}

extension TransportFault {
  package static let garbage: TransportFault = TransportFault(
    .garbage, first: .whole, last: .close, coding: .message { Garbage.bytes($0) })
}

/// Bytes that are not HTTP.
package enum Garbage {
  /// Returns 64 bytes that cannot start a line of HTTP: the high bit is set in all of them.
  package static func bytes(_ draw: UInt64) -> [UInt8] {
    (0..<8 as Range<UInt64>).flatMap { word in
      let mixed = SeededHash.spread(draw, word)
      return (0..<8).map { UInt8(truncatingIfNeeded: mixed >> ($0 * 8)) | 0x80 }
    }
  }
}
