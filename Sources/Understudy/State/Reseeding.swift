import Contract
import JSON

/// The new initial states of sandboxes after a change of data files, prepared before they are applied.
struct Reseeding: Sendable {
  /// A state, and the counters in it.
  struct Start: Sendable {
    let store: Store
    let counters: [Register: Int]

    /// Creates the initial state of a sandbox; nil if its patch no longer fits the data.
    ///
    /// - Parameter patch: The sandbox's own merge patch on the server's data.
    init?(_ data: SeedData, _ patch: JSONValue?, at now: Instant) {
      guard let merged = try? data.merging(patch ?? .object(JSONValue.Object())) else { return nil }
      store = Store(merged, at: now)
      counters = store.counters
    }
  }

  /// The values on which a sandbox's state depends besides the data.
  struct Order: Sendable {
    let name: String
    let patch: JSONValue?
    /// The sandbox's time.
    let now: Instant
  }

  let data: SeedData
  /// The real time of the restart.
  let at: Instant
  /// The states by clock: sandboxes without a patch share a state if their clocks agree.
  private var shared: [Instant: Start] = [:]
  private var own: [String: (order: Order, start: Start?)] = [:]

  /// Prepares the states. This takes long with much data, or with many sandboxes that have patches.
  init(_ data: SeedData, _ orders: [Order], at real: Instant) {
    self.data = data
    at = real
    for order in orders {
      if order.patch != nil {
        own[order.name] = (order, Start(data, order.patch, at: order.now))
      } else if shared[order.now] == nil {
        shared[order.now] = Start(data, nil, at: order.now)
      }
    }
  }

  /// Restarts a sandbox with its new state.
  func begin(_ sandbox: Sandbox, number: Int) {
    let now = sandbox.clock.now(at: at)
    if sandbox.patch == nil, let start = shared[now] { return sandbox.take(start, number: number, at: at) }
    if let made = own[sandbox.name], made.order.now == now, made.order.patch == sandbox.patch {
      if let start = made.start { sandbox.take(start, number: number, at: at) }
      return
    }
    // The sandbox was made, or its clock was set, while the states were prepared.
    var data = data
    data.number = number
    sandbox.reseed(data, at: at)
  }
}

extension Backend {
  /// Checks the data files on another thread, and restarts all sandboxes with them if they have changed.
  func reloadWatchedData() {
    guard let watched, !isReloading else { return }
    isReloading = true
    loop.runOffLoop(
      {
        var directory = watched
        let result = Result { () throws(StartError) in try directory.reload() }
        return { [directory] backend in
          backend.watched = directory
          backend.reseed(result)
        }
      }, for: self)
  }

  private func reseed(_ result: Result<SeedData?, StartError>) {
    switch result {
    case .success(nil): isReloading = false
    case .failure(let error):
      isReloading = false
      notify("\(error); the earlier data stays in use")
    case .success(let data?):
      let now = realTime
      let orders = sandboxes.inAnyOrder.map {
        Reseeding.Order(name: $0.name, patch: $0.patch, now: $0.clock.now(at: now))
      }
      loop.runOffLoop(
        {
          let reseeding = Reseeding(data, orders, at: now)
          return { backend in backend.reseed(reseeding) }
        }, for: self)
    }
  }

  private func reseed(_ reseeding: Reseeding) {
    isReloading = false
    let replaced: [any Sendable] = [seeds, sandboxes.inAnyOrder.map { [$0.initial, $0.store] }]
    take(reseeding.data)
    writeAheadLog?.note(.reseeded(seeds.number, at: reseeding.at), undo: .none)
    for sandbox in sandboxes.all { reseeding.begin(sandbox, number: seeds.number) }
    loop.discard(replaced)
    notify("data files have changed and were read again")
  }
}
