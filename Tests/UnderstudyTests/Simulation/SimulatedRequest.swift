/// A request with what its sender means by it.
struct SimulatedRequest {
  /// Its own number, which it carries in a field so that its entry in a journal can be told; a replay repeats it.
  let number: Int
  let bytes: [UInt8]
  let meaning: Meaning
  var isHead = false
  var isOld = false
  /// Whether the connection is to end after the reply.
  var isLast = false
  /// The sandbox that it names; one that does not exist answers for itself, without a journal.
  var sandbox: String?
  var idempotencyKey: String?

  enum Meaning: Equatable {
    case control
    case read
    case install(device: String, date: String?)
    case archive(activity: String, Bool)
    case resetActivities
    case book(room: String)
    /// A change that the model does not follow.
    case other
  }

  static let numberField = "X-Number: "
}
