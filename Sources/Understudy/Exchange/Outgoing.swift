import Contract

/// A reply on its way out.
struct Outgoing {
  var transmission: Transmission
  /// When its first byte could go out.
  let began: Tick
  /// How far it got out.
  var released: Int
  /// Whether the plan has it that nothing is sent for now.
  var isSilent = false

  init(_ transmission: Transmission, at now: Tick) {
    self.transmission = transmission
    began = now
    released = transmission.extent.start
  }

  /// Where the message lies in the output, if any of it got out.
  var extent: MessageWriter.Extent? { released > transmission.extent.start ? transmission.extent : nil }

  /// How many bytes of the body got out.
  var bytes: Int { max(0, released - transmission.extent.body) }
}
