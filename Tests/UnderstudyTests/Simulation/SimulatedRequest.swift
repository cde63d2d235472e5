/// A request with the expectations of its sender.
struct SimulatedRequest {
  /// Its number, sent in a field so that its journal entry can be found; a replay repeats it.
  let number: Int
  let bytes: [UInt8]
  let meaning: Meaning
  var isHead = false
  var isOld = false
  /// True if the connection should end after the response.
  var isLast = false
  /// The sandbox that it names; a request to an unknown one gets an error, and has no journal entry.
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
