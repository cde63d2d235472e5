import Contract
import Faults
import Platform
import Primitives
import Services

extension ServerState {
  /// True if there are changes that no round includes yet.
  var isUncommitted: Bool { directory?.isDirty == true }

  /// Stores all changes; returns the sandboxes whose changes were refused and taken back.
  func commit() -> [Sandbox] {
    guard let commit = beginCommit() else { return [] }
    return endCommit(commit.run())
  }

  /// Begins to store all changes; returns nil if there are none, or if a round is under way.
  func beginCommit() -> Commit? {
    directory?.beginRound { sandbox, stored in
      SandboxImage(of: sandbox, since: stored, sandbox.name == Sandboxes.defaultName ? settings : nil)
    }
  }

  private var settings: SandboxImage.ServerSettings {
    SandboxImage.ServerSettings(
      scenario: standard.scenario, seed: standard.seed,
      lastNumber: min(sandboxes.lastNumber, Sandboxes.numbers.upperBound))
  }

  /// Applies the outcomes of a round; returns the sandboxes whose changes were refused and taken back.
  func endCommit(_ outcomes: [Commit.StepResult]) -> [Sandbox] {
    guard let directory else { return [] }
    let earlier = directory.failure
    let ended = directory.endRound(outcomes)
    for change in ended.stored { change.consequences?.ifStored() }
    for change in ended.refused.reversed() { change.consequences?.ifRefused() }
    var refused: [Sandbox] = []
    // A new sandbox goes before the one of its name that was deleted for it comes back.
    for sandbox in ended.refused.reversed().map(\.sandbox) where !refused.contains(where: { $0 === sandbox }) {
      refused.append(sandbox)
      takeBack(ended.refused.filter { $0.sandbox === sandbox }.map(\.kind), of: sandbox)
    }
    if !refused.isEmpty { rollbackCount += 1 }
    switch (earlier, directory.failure) {
    case (nil, let failure?):
      notifyUser("\(failure); changes that cannot be stored get 507, and are taken back")
    case (.some, nil): notifyUser("\(directory.disk.path): changes can be stored again")
    default: break
    }
    return refused
  }

  /// Takes refused changes of a sandbox back.
  private func takeBack(_ kinds: [StateDirectory.Change.Kind], of sandbox: Sandbox) {
    if kinds.contains(.deleted), sandbox.stored != nil {
      sandbox.directory = directory
      sandboxes.add(sandbox)
    }
    guard sandbox.stored != nil else {
      if sandbox.isListed { forget(sandbox) } else { close(sandbox) }
      return
    }
    sandbox.rollBack(at: clocks.instant())
    isScheduleNew = true
  }

  private func notifyUser(_ notice: String) { notify("state directory: \(notice)") }
}

extension ServerState {
  /// Restores the state from a disk, and stores all further changes there.
  func openState(on disk: any Disk) throws(StartError) {
    let directory = StateDirectory(on: disk)
    let names = try disk.fileNames(in: nil)
    guard !names.contains(Self.earlierLog) else {
      throw .badState(
        "\(disk.path)/\(Self.earlierLog): the state of an earlier understudy, which this one does not read; remove the "
          + "file to start with fresh data")
    }
    let real = clocks.instant()
    if let restored = try StoredSandbox(Sandboxes.defaultName, on: disk, at: real, tick: clocks.tick()) {
      restored.sandbox.stored = restored.sandbox.state.copy()
      sandboxes = Sandboxes(restored.sandbox)
      if let settings = restored.settings { adopt(settings, at: real) }
    }
    for name in names where name != Sandboxes.defaultName && Schema.Format.isLabel(name) {
      guard let restored = try StoredSandbox(name, on: disk, at: real, tick: clocks.tick()) else {
        if try StoredSandbox.isRemainder(name, on: disk) { directory.removeLeftover(name) }
        continue
      }
      restored.sandbox.stored = restored.sandbox.state.copy()
      sandboxes.add(restored.sandbox)
      sandboxes.lastNumber = max(sandboxes.lastNumber, Sandboxes.number(in: name) ?? 0)
    }
    self.directory = directory
    for sandbox in sandboxes.all {
      sandbox.directory = directory
      if sandbox.stored == nil { directory.record(.made, of: sandbox) }
    }
    guard commit().isEmpty else {
      throw .cannotKeep("stateDirectory \(directory.failure?.description ?? disk.path)")
    }
  }

  /// The file in which earlier versions stored the state.
  private static let earlierLog = "state.log"

  /// Adopts the settings of the last start. Those of the command line apply to the default sandbox only if they differ
  /// from them.
  private func adopt(_ settings: SandboxImage.ServerSettings, at real: Instant) {
    sandboxes.lastNumber = settings.lastNumber
    guard settings.scenario != standard.scenario || settings.seed != standard.seed else { return }
    sandboxes[nil]?.arm(standard.scenario, seed: standard.seed, at: real)
    sandboxes[nil]?.stored = nil
  }

  /// Reopens the ports of all sandboxes. If a port is not available, this is reported and the sandbox loses it.
  func reopenPorts() { for sandbox in sandboxes.all { reopenPort(of: sandbox) } }

  private func reopenPort(of sandbox: Sandbox) {
    guard let port = sandbox.identity.port else { return }
    do throws(SystemError) {
      let labels = Labels(api: sandbox.identity.api, sandbox: sandbox.name)
      _ = try loop.open(port, for: labels, keepsReserve: false)
    } catch {
      notifyUser(
        "the port \(port) of the sandbox \(sandbox.name) could not be opened, and is not used until the next start: \(error)"
      )
      sandbox.identity.port = nil
    }
  }
}
