import Contract
import Faults
import JSON
import Platform
import Services
import StateLog

extension ServerState {
  /// True if there are changes that no commit includes yet.
  var isUncommitted: Bool { writeAheadLog?.isDirty == true }

  /// Writes all changes to the disk; returns false if that failed and they were rolled back.
  func commit() -> Bool {
    guard let commit = beginCommit() else { return true }
    return endCommit(commit.run())
  }

  /// Begins to write all changes to the disk; returns nil if there are none, or if a commit is in progress.
  func beginCommit() -> Commit? { writeAheadLog?.beginCommit { image } }

  /// Applies the outcome of a commit; returns false if changes could not be stored and were rolled back.
  func endCommit(_ outcome: Commit.Outcome) -> Bool {
    guard let writeAheadLog else { return true }
    let previous = (writeAheadLog.failure, writeAheadLog.rewriteFailure)
    let committed = writeAheadLog.endCommit(outcome)
    for entry in committed.stored { entry.consequences?.ifStored() }
    for entry in committed.lost.reversed() {
      entry.consequences?.ifRefused()
      rollBack(entry.undo)
    }
    if !committed.lost.isEmpty { rollbackCount += 1 }
    switch (previous.0, writeAheadLog.failure) {
    case (nil, let failure?):
      notifyUser("\(failure); changes get 507 until the log can be written; reads still work")
    case (.some, nil): notifyUser("\(writeAheadLog.log.path): changes can be stored again")
    default: break
    }
    switch (previous.1, writeAheadLog.rewriteFailure) {
    case (nil, let failure?): notifyUser("\(failure); the log was not rewritten; the server will try again")
    case (.some, nil): notifyUser("\(writeAheadLog.log.path): the log was rewritten")
    default: break
    }
    return committed.lost.isEmpty
  }

  private func notifyUser(_ notice: String) { notify("state directory: \(notice)") }

  private func rollBack(_ undo: WriteAheadLog.Undo) {
    switch undo {
    case .none: writeAheadLog?.log.markInDoubt()
    case .state(let sandbox, let before):
      sandbox.rollBack(to: before, at: clocks.instant())
      isScheduleNew = true
    case .withFirst: break
    case .made(let sandbox): forget(sandbox)
    case .deleted(let sandbox):
      sandbox.writeAheadLog = writeAheadLog
      sandboxes.add(sandbox)
    }
  }

  /// A function that returns the complete current state as the payload of a frame; it may be called on any thread.
  private var image: Commit.Image {
    let all = sandboxes.inOrderOfMaking
    let numbers = Set(all.map(\.state.start.seeds) + [seeds.number])
    persistedSeeds = persistedSeeds.filter { numbers.contains($0.key) }
    let data = persistedSeeds.sorted { $0.key < $1.key }.map { LogRecord.seeds($0.key, $0.value.byIndex) }
    let beginning: [LogRecord] = [
      .commandLine(standard.scenario, seed: standard.seed),
      .numbered(min(sandboxes.lastNumber, Sandboxes.numbers.upperBound)),
    ]
    let records = all.map { (name: $0.name, make: $0.pendingRecords) }
    return {
      // The default sandbox comes first, then the others by name.
      let sorted = [records[0]] + records.dropFirst().sorted { $0.name < $1.name }
      return LogRecord.payload(data + beginning + sorted.flatMap { $0.make() })
    }
  }

  /// Sets the initial data of new sandboxes.
  func adopt(_ data: SeedData) {
    guard let writeAheadLog else { return seeds = data }
    let number = seeds.number + 1
    seeds = data
    seeds.number = number
    persistedSeeds[number] = seeds
    writeAheadLog.record(.seeds(number, seeds.byIndex), undo: .none)
  }
}

extension ServerState {
  /// Restores the state from a disk, and stores all further changes there.
  func openState(on disk: any Disk) throws(StartError) {
    let writeAheadLog = WriteAheadLog(LogFile(on: disk))
    let opened: (content: LogFormat.Content, torn: Int)?
    do throws(OpeningError) { opened = try writeAheadLog.log.open() } catch { throw StartError(error) }
    if let (content, torn) = opened {
      if torn > 0 {
        notifyUser(
          "\(writeAheadLog.log.path): \(torn) bytes at the end are an incomplete change, as after a crash during a write, "
            + "and were removed")
      }
      let recovery = try Recovery(content, path: writeAheadLog.log.path, at: clocks.instant(), tick: clocks.tick())
      adopt(recovery, writeAheadLog)
      _ = commit()
    } else {
      self.writeAheadLog = writeAheadLog
      persistedSeeds[seeds.number] = seeds
      for sandbox in sandboxes.all { sandbox.writeAheadLog = writeAheadLog }
      do throws(SystemError) {
        try writeAheadLog.log.rewrite(image())
      } catch {
        throw .cannotKeep("stateDirectory \(error)")
      }
    }
  }

  private func adopt(_ recovery: Recovery, _ writeAheadLog: WriteAheadLog) {
    guard let defaultSandbox = recovery.sandboxes[Sandboxes.defaultName], let latest = recovery.latest else { return }
    self.writeAheadLog = writeAheadLog
    sandboxes = Sandboxes(defaultSandbox, lastNumber: recovery.lastNumber)
    for (name, sandbox) in recovery.sandboxes where name != Sandboxes.defaultName { sandboxes.add(sandbox) }
    for sandbox in sandboxes.all { sandbox.writeAheadLog = writeAheadLog }
    persistedSeeds = recovery.seeds
    let configured = seeds
    seeds = latest
    // Data files apply only to new sandboxes.
    if configured.documents != latest.documents { adopt(configured) }
    // The command line's settings of the default sandbox apply only if they differ from those of the last start.
    let isSame = recovery.commandLine.map { $0 == standard.scenario && $1 == standard.seed } ?? false
    guard !isSame else { return }
    writeAheadLog.record(.commandLine(standard.scenario, seed: standard.seed), undo: .none)
    defaultSandbox.arm(standard.scenario, seed: standard.seed, at: clocks.instant())
  }

  /// Reopens the ports of all sandboxes. If a port is not available, this is reported and the sandbox loses it.
  func reopenPorts() { for sandbox in sandboxes.all { reopenPort(of: sandbox) } }

  private func reopenPort(of sandbox: Sandbox) {
    guard let port = sandbox.identity.port else { return }
    do throws(SystemError) {
      let labels = Labels(api: sandbox.identity.api, sandbox: sandbox.name)
      _ = try loop.open(port, for: labels, keepsReserve: false)
    } catch {
      notifyUser("the port \(port) of the sandbox \(sandbox.name) could not be opened, and was removed: \(error)")
      sandbox.identity.port = nil
    }
  }
}

extension StartError {
  /// Creates the error of a state directory that cannot be opened.
  init(_ error: OpeningError) {
    switch error {
    case .damaged(let detail): self = .badState(detail)
    case .inUse(let detail): self = .stateInUse("stateDirectory \(detail)")
    case .unavailable(let detail): self = .cannotKeep("stateDirectory \(detail)")
    }
  }
}

extension SeedData {
  /// The documents by the index of their API in `API.all`.
  fileprivate var byIndex: [Int: JSONValue] {
    Dictionary(uniqueKeysWithValues: documents.enumerated().map { ($0.offset, $0.element) })
  }
}
