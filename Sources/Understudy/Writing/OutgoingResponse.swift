import Faults
import Primitives

/// A response in the output, as far as it is released to the socket.
struct Transmission {
  private let message: MessageLayout
  /// The instant at which its first byte could be sent.
  let began: MonotonicInstant
  /// The end of the released bytes.
  var end: Int

  /// Creates the transmission of a message of which no byte is released.
  init(of message: MessageLayout, at now: MonotonicInstant) {
    self.message = message
    began = now
    end = message.start
  }

  /// Creates the transmission of a message that is released as a whole.
  init(ofWhole message: MessageLayout, at now: MonotonicInstant) {
    self.init(of: message, at: now)
    end = message.end
  }

  /// The layout of the message in the output, if any of it was released.
  var layout: MessageLayout? { end > message.start ? message : nil }

  /// True if the status line and all field lines were released.
  var isHeadWhole: Bool { end >= message.body }

  /// Returns the range of the released field lines. A line that was released in part is not one.
  func sentFieldLines(in output: [UInt8]) -> Range<Int> {
    guard let lines = layout?.fieldLines else { return 0..<0 }
    guard end < lines.upperBound else { return lines }
    let released = lines.clamped(to: lines.lowerBound..<max(end, lines.lowerBound))
    let last = output[released].lastIndex(of: UInt8(ascii: "\n"))
    return released.lowerBound..<(last.map { $0 + 1 } ?? released.lowerBound)
  }

  /// The number of released bytes of the body.
  var bodyBytes: Int { max(0, end - message.body) }
}

/// A response that is being sent as its plan says.
struct OutgoingResponse {
  var transmission: Transmission
  var delivery: ResponseDelivery
}
