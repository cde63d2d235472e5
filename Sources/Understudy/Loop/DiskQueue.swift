/// The commits of changes to the disk, and the exchanges and calls that wait for them.
struct DiskQueue {
  /// The connections whose exchanges wait for the disk, and not only for the current commit.
  var waiting: [ConnectionSet.Entry] = []
  /// The connections that wait for the current commit.
  var committing: [ConnectionSet.Entry] = []
  var isCommitting = false
  /// The calls to make when no change waits for the disk.
  var callsWhenCommitted: [() -> Void] = []
  /// The calls to make after the current commit.
  var callsAfterCommit: [() -> Void] = []
  /// The thread that waits for the disk, so that the loop does not have to.
  let flusher = Workers(maximumThreads: 1, isBackground: false)
}
