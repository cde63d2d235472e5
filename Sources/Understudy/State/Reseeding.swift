import Contract
import JSON
import Services

/// The new initial states of sandboxes after a change of data files, prepared before they are applied.
struct Reseeding: Sendable {
  /// The values on which a sandbox's state depends in addition to the data.
  struct Inputs: Sendable {
    let name: String
    let patch: JSONValue?
    /// The sandbox's time.
    let now: Instant
  }

  let data: SeedData
  /// The real time of the restart.
  let at: Instant
  /// The states by clock: sandboxes without a patch share a state if their clocks agree.
  private var shared: [Instant: Store] = [:]
  private var own: [String: (inputs: Inputs, start: Store?)] = [:]
  /// The names of the sandboxes that have not restarted yet.
  private var waiting: Set<String> = []

  /// The maximum number of sandboxes that one turn restarts.
  static let maximumSandboxes = 64

  /// Prepares the states. This takes long with much data, or with many sandboxes that have patches.
  init(_ data: SeedData, _ allInputs: [Inputs], at real: Instant) {
    self.data = data
    at = real
    for inputs in allInputs {
      if inputs.patch != nil {
        own[inputs.name] = (inputs, Store(data, patchedBy: inputs.patch, at: inputs.now))
      } else if shared[inputs.now] == nil {
        shared[inputs.now] = Store(data, patchedBy: nil, at: inputs.now)
      }
    }
  }

  var isDone: Bool { waiting.isEmpty }

  /// Removes the name of a sandbox that has to restart; returns false if it does not have to.
  mutating func remove(_ name: String) -> Bool { waiting.remove(name) != nil }

  /// Adds the names of sandboxes that have to restart.
  mutating func include(_ names: some Sequence<String>) { waiting.formUnion(names) }

  /// Returns the names of some sandboxes that have to restart.
  func next(_ count: Int) -> [String] { Array(waiting.prefix(count)) }

  /// Restarts a sandbox with its new state.
  func begin(_ sandbox: Sandbox, number: Int) {
    let now = sandbox.clock.now(at: at)
    if sandbox.patch == nil, let start = shared[now] { return sandbox.restart(with: start, number: number, at: at) }
    if let made = own[sandbox.name], made.inputs.now == now, made.inputs.patch == sandbox.patch {
      if let start = made.start { sandbox.restart(with: start, number: number, at: at) }
      return
    }
    // The sandbox was made, or its clock was set, while the states were prepared.
    var data = data
    data.number = number
    sandbox.reseed(data, at: at)
  }
}

extension Store {
  /// Creates the initial state of a sandbox; nil if its patch no longer fits the data.
  ///
  /// - Parameter patch: The sandbox's own merge patch on the server's data.
  init?(_ data: SeedData, patchedBy patch: JSONValue?, at now: Instant) {
    guard let merged = try? data.merging(patch ?? .object(JSONValue.Object())) else { return nil }
    self.init(merged, at: now)
  }
}

extension ServerState {
  /// Checks the data files on another thread, and restarts all sandboxes with them if they have changed.
  func reloadWatchedData() {
    guard let watched, !isReloading else { return }
    isReloading = true
    loop.runOffLoop(
      {
        var directory = watched
        let result = Result { () throws(StartError) in try directory.reload() }
        return { [directory] state in
          state.watched = directory
          state.reseed(result)
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
      let now = clocks.instant()
      let allInputs = sandboxes.inAnyOrder.map {
        Reseeding.Inputs(name: $0.name, patch: $0.patch, now: $0.clock.now(at: now))
      }
      loop.runOffLoop(
        {
          let reseeding = Reseeding(data, allInputs, at: now)
          return { state in state.reseed(reseeding) }
        }, for: self)
    }
  }

  private func reseed(_ reseeding: Reseeding) {
    let replaced = seeds
    adopt(reseeding.data)
    writeAheadLog?.record(.reseeded(seeds.number, at: reseeding.at), undo: .none)
    var begun = reseeding
    // Sandboxes that were made while the states were prepared have the earlier data, too.
    begun.include(sandboxes.inAnyOrder.lazy.map(\.name))
    self.reseeding = begun
    continueReseeding(atMost: Reseeding.maximumSandboxes)
    loop.workers?.discard(replaced)
    notify("data files have changed and were read again")
  }

  /// Restarts a sandbox with changed data files if it has not done so yet. It is called before the sandbox is read or
  /// changed, so that all sandboxes seem to restart at once.
  func continueReseeding(of sandbox: Sandbox) {
    guard var current = reseeding.take() else { return }
    if current.remove(sandbox.name) { current.begin(sandbox, number: seeds.number) }
    reseeding = current
  }

  /// Records that a sandbox need not restart, because it was deleted.
  func excuse(_ name: String) {
    guard var current = reseeding.take() else { return }
    _ = current.remove(name)
    reseeding = current
  }

  /// Restarts some of the sandboxes with changed data files, so that no turn restarts thousands.
  func continueReseeding(atMost count: Int) {
    guard reseeding != nil, let next = reseeding?.next(count) else { return }
    for name in next {
      if let sandbox = sandboxes[name] { continueReseeding(of: sandbox) } else { excuse(name) }
    }
    guard reseeding?.isDone == true, let finished = reseeding.take() else { return }
    isReloading = false
    loop.workers?.discard(finished)
  }
}
