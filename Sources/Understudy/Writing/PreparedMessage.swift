import Contract
import Services

/// The parts of a 200 without fields of its own, before and after its id. They are equal for all such responses of an
/// operation with the same representation in one second.
final class PreparedMessage {
  let representation: Representation
  let operation: Contract.Operation
  /// The message up to the name of the request's id.
  private(set) var start: [UInt8]
  private(set) var opening = MessageOpening.ofTheEpoch
  /// The fields from the validators to the name of the request's id.
  private let fields: [UInt8]
  /// The number of bytes of the validators, after which the fields about a plan follow.
  private let validators: Int
  /// The rest of the head after the id, and the body.
  let rest: [UInt8]
  /// The number of bytes of the rest of the head.
  let restOfHead: Int

  init(of representation: Representation, _ operation: Contract.Operation, fields: [UInt8], validators: Int) {
    self.representation = representation
    self.operation = operation
    self.fields = fields
    start = opening.bytes + fields
    self.validators = validators
    let head = Array("\r\n".utf8) + representation.contentFields + Array("\r\n".utf8)
    restOfHead = head.count
    rest = head + representation.bytes
  }

  /// The end of the validators in `start`.
  var endOfValidators: Int { start.count - fields.count + validators }

  /// Begins with another opening: another second has begun.
  func begin(with opening: MessageOpening) {
    self.opening = opening
    start = opening.bytes + fields
  }

  static let slotCount = 256
  /// Longer bodies would stay in memory after their state; their heads cost little beside them.
  static let maximumBodyBytes = 16 << 10

  /// Returns the slot of a representation.
  static func index(of representation: Representation) -> Int {
    // The tag is a hash of the bytes already.
    Int(truncatingIfNeeded: representation.tag.hash) & (slotCount - 1)
  }

  /// A place for the message of one representation.
  final class Slot {
    var message: PreparedMessage?
    /// The representation that was last seen here. A response after each write has a new one, which is not worth the
    /// preparation.
    private var seen: ObjectIdentifier?

    /// Returns true if a representation was the last one seen here, and is short.
    func isSecondSight(of representation: Representation) -> Bool {
      let id = ObjectIdentifier(representation)
      defer { seen = id }
      return seen == id && representation.bytes.count <= maximumBodyBytes
    }
  }
}
