import Contract

/// A response that is being sent.
struct Outgoing {
  var transmission: Transmission
  /// The instant at which its first byte could be sent.
  let began: Tick
  /// The end of the released bytes.
  var released: Int
  /// True if the plan requires silence now.
  var isSilent = false

  init(_ transmission: Transmission, at now: Tick) {
    self.transmission = transmission
    began = now
    released = transmission.extent.start
  }

  /// The layout of the message in the output, if any of it was released.
  var extent: MessageWriter.Extent? { released > transmission.extent.start ? transmission.extent : nil }

  /// The number of released bytes of the body.
  var bytes: Int { max(0, released - transmission.extent.body) }
}
