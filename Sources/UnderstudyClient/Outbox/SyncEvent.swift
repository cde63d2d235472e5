/// An event of a running sync.
public enum SyncEvent: Sendable, Hashable {
  /// The sync has begun, with this number of devices to write.
  case began(count: Int)
  /// A device is being sent.
  case sending(deviceID: String)
  /// A device is finished; `done` of the total are.
  case finished(deviceID: String, SyncOutcome, done: Int, of: Int)
  /// Nothing is sent for this long, because recent requests about all remaining devices failed.
  case resting(Duration)
  /// The sync has ended; this number of changes is still pending.
  case ended(pending: Int)
}

/// The outcome of a sync for one device.
public enum SyncOutcome: Sendable, Hashable {
  /// The server has the change.
  case confirmed
  /// The server refused the change, or it cannot be sent; see `DeviceOutbox.rejected`.
  case rejected(Rejection)
  /// The change could not be delivered now. It stays for the next sync, or until a caller joins this one.
  case pending(RequestError)
  /// The server has the change, but this could not be stored on disk; the next sync checks again.
  case notStored(StorageError)
  /// The change was withdrawn in the meantime, here or in another window.
  case withdrawn
}
