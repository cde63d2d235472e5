/// What a sync tells while it runs.
public enum SyncEvent: Sendable, Hashable {
  /// It has begun, with so many devices to write.
  case began(count: Int)
  /// A device's turn has come.
  case sending(deviceID: String)
  /// A device is through; so many of so many are.
  case finished(deviceID: String, SyncOutcome, done: Int, of: Int)
  /// Nothing is sent for this long, because servers were asked about all that is left in vain a moment ago.
  case resting(Duration)
  /// It is over, and this many are still pending.
  case ended(pending: Int)
}

/// What became of one device in a sync.
public enum SyncOutcome: Sendable, Hashable {
  /// The server has it.
  case confirmed
  /// The server will not have it; see `DeviceOutbox.rejected`.
  case rejected(Rejection)
  /// It could not be settled now and stays for the next sync, or until somebody joins this one.
  case pending(RequestError)
  /// The server has it, but that could not be noted on disk; the next sync finds out again.
  case notNoted(StorageError)
  /// It was withdrawn meanwhile.
  case withdrawn
}
