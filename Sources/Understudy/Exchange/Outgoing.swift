import Contract

/// A reply on its way out.
struct Outgoing {
  var transmission: Transmission
  /// When its first byte could go out.
  let began: Tick
  /// From when its pace counts: a silence that the plan asks for is no credit to spend in a burst afterwards.
  private(set) var paced: Tick
  /// How far it got out.
  var released: Int
  /// Whether the plan has it that nothing is sent for now.
  var isSilent = false

  init(_ transmission: Transmission, at now: Tick) {
    self.transmission = transmission
    began = now
    paced = now
    released = transmission.extent.start
  }

  /// - Parameter duration: How long nothing is sent, where that has an end.
  mutating func hold(for duration: Duration?) {
    isSilent = true
    if let duration { paced = paced + duration }
  }

  /// Where the message lies in the output, if any of it got out.
  var extent: MessageWriter.Extent? { released > transmission.extent.start ? transmission.extent : nil }

  /// How many bytes of the body got out.
  var bytes: Int { max(0, released - transmission.extent.body) }
}
