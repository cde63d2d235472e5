import Contract
import Primitives

/// A response that is being sent.
struct OutgoingResponse {
  var delivery: ResponseDelivery
  /// The instant at which its first byte could be sent.
  let began: MonotonicInstant
  /// The end of the released bytes.
  var released: Int
  /// True if the plan requires silence now.
  var isSilent = false

  init(_ delivery: ResponseDelivery, at now: MonotonicInstant) {
    self.delivery = delivery
    began = now
    released = delivery.layout.start
  }

  /// The layout of the message in the output, if any of it was released.
  var layout: MessageWriter.MessageLayout? { released > delivery.layout.start ? delivery.layout : nil }

  /// The number of released bytes of the body.
  var bytes: Int { max(0, released - delivery.layout.body) }
}
