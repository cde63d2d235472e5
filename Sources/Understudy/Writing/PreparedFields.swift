import Contract
import Services

/// The fields of a calm response, which are equal for all responses of an operation with the same representation.
final class PreparedFields {
  let representation: Representation
  let operation: Contract.Operation
  /// The fields from the validators to the name of the request's id.
  let before: [UInt8]
  /// The number of bytes of the validators, after which the fields about a plan follow.
  let validators: Int
  /// The rest of the head after the id.
  let after: [UInt8]

  init(of representation: Representation, _ operation: Contract.Operation, before: [UInt8], validators: Int) {
    self.representation = representation
    self.operation = operation
    self.before = before
    self.validators = validators
    after = Array("\r\n".utf8) + representation.contentFields + Array("\r\n".utf8)
  }

  static let slotCount = 256
  /// Longer bodies would stay in memory after their state; their heads cost little beside them.
  static let maximumBodyBytes = 16 << 10

  /// Returns the slot of a representation.
  static func index(of representation: Representation) -> Int {
    // The tag is a hash of the bytes already.
    Int(truncatingIfNeeded: representation.tag.hash) & (slotCount - 1)
  }

  /// A place for the fields of one representation.
  struct Slot {
    var fields: PreparedFields?
    /// The representation that was last seen here. A response after each write has a new one, which is not worth the
    /// preparation.
    private var seen: ObjectIdentifier?

    /// Returns true if a representation was the last one seen here, and is short.
    mutating func isSecondSight(of representation: Representation) -> Bool {
      let id = ObjectIdentifier(representation)
      defer { seen = id }
      return seen == id && representation.bytes.count <= maximumBodyBytes
    }
  }
}
