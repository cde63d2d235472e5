import Contract
import Services

extension ServerState {
  /// Checks the data files on another thread, and restarts all sandboxes with them if they have changed.
  func reloadWatchedData() {
    guard let watched, !isReloading else { return }
    isReloading = true
    let now = clocks.instant()
    loop.runOffLoop(
      {
        var directory = watched
        let result = Result { () throws(StartError) in
          try directory.reload().map { (data: $0, store: Store($0, at: now)) }
        }
        return { [directory] state in
          state.isReloading = false
          state.watched = directory
          state.reseed(result, at: now)
        }
      }, for: self)
  }

  /// Restarts all sandboxes with changed data.
  ///
  /// - Parameter result: The data, and the state made of it at `real`; nil if no file has changed.
  private func reseed(_ result: Result<(data: SeedData, store: Store)?, StartError>, at real: Instant) {
    switch result {
    case .success(nil): return
    case .failure(let error): notify("\(error); the earlier data stays in use")
    case .success(let (data, store)?):
      let replaced = seeds
      seeds = data
      seeds.number = replaced.number + 1
      for sandbox in sandboxes.inOrderOfMaking { sandbox.reseed(seeds, from: store, at: real) }
      loop.workers?.discard(replaced)
      notify("data files have changed and were read again")
    }
  }
}
