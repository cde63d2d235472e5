import Contract
import Faults
import JSON

extension Backend {
  /// True if changes of this turn have yet to reach the disk.
  var isUncommitted: Bool { writeAheadLog?.isDirty == true }

  /// Returns the reason for which a response must wait for the end of the turn.
  func hold(for exchange: borrowing Exchange, _ writeAheadLog: WriteAheadLog, since noted: Int) -> Hold {
    guard writeAheadLog.hasChanges else { return .none }
    if writeAheadLog.count > noted { return .writes }
    // A response of the control API may depend on any sandbox.
    let changedTurn = exchange.sandbox?.changedTurn ?? 0
    let isConcerned = exchange.api == addresses.controlPlace || changedTurn > writeAheadLog.keptTurn
    return isConcerned ? .reads : .none
  }

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
    let known = (writeAheadLog.failure, writeAheadLog.rewriteFailure)
    let lost = writeAheadLog.endCommit(outcome)
    for entry in lost.reversed() { takeBack(entry.undo) }
    if !lost.isEmpty { rollbackCount += 1 }
    switch (known.0, writeAheadLog.failure) {
    case (nil, let failure?): tell("\(failure); changes are refused until the log can be written, reads still work")
    case (.some, nil): tell("\(writeAheadLog.log.path): changes can be stored again")
    default: break
    }
    switch (known.1, writeAheadLog.rewriteFailure) {
    case (nil, let failure?): tell("\(failure); the log stays long, and will be rewritten when that is possible")
    case (.some, nil): tell("\(writeAheadLog.log.path): the log was rewritten, and is short again")
    default: break
    }
    return lost.isEmpty
  }

  /// Reports a log that the next start would not find: after the last change, no commit would notice this.
  func confirmState() {
    guard let writeAheadLog, writeAheadLog.failure == nil else { return }
    do throws(SystemError) {
      try writeAheadLog.confirm()
    } catch {
      tell("\(error); its content is lost")
    }
  }

  private func tell(_ notice: String) { notify("stateDirectory \(notice)") }

  private func takeBack(_ undo: WriteAheadLog.Undo) {
    switch undo {
    case .none: writeAheadLog?.log.doubt()
    case .state(let sandbox, let api, let delta): sandbox.takeBack(delta, of: api)
    case .key(let sandbox, let stored): sandbox.idempotency.takeBack(stored)
    case .image(let sandbox, let image): sandbox.takeBack(to: image, at: realTime)
    case .made(let sandbox): forget(sandbox)
    case .deleted(let sandbox):
      sandbox.writeAheadLog = writeAheadLog
      sandboxes.add(sandbox)
      openPort(of: sandbox)
    }
  }

  /// Returns the response of an exchange whose change was rolled back.
  func refusal(of exchange: borrowing Exchange) -> Answer {
    let problem = Problem.notKept(writeAheadLog?.failure?.reason)
    let version = exchange.sandbox?.store.version ?? 0
    return Answer(response: responder.refusal(problem, of: exchange, self), versions: version..<version)
  }

  /// A function that returns the bytes of the complete current state, on any thread.
  private var image: Commit.PersistentState {
    let all = sandboxes.inAnyOrder
    let numbers = Set(all.map(\.start.seeds) + [seeds.number])
    keptSeeds = keptSeeds.filter { numbers.contains($0.key) }
    let data = keptSeeds.sorted { $0.key < $1.key }.map { LogRecord.seeds($0.key, $0.value.byPlace) }
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
  func take(_ data: SeedData) {
    guard let writeAheadLog else { return seeds = data }
    let number = seeds.number + 1
    seeds = data
    seeds.number = number
    keptSeeds[number] = seeds
    writeAheadLog.note(.seeds(number, seeds.byPlace), undo: .none)
  }
}

extension Backend {
  /// Restores the state from a disk, and stores all further changes there.
  func openState(on disk: any Disk) throws(StartError) {
    let writeAheadLog = WriteAheadLog(LogFile(on: disk))
    if let (content, torn) = try writeAheadLog.log.open() {
      if torn > 0 {
        tell(
          "\(writeAheadLog.log.path): \(torn) bytes at the end are an incomplete change, as after a crash during a write, "
            + "and were removed")
      }
      let recovery = try Recovery(content, path: writeAheadLog.log.path, at: realTime, tick: tick)
      adopt(recovery, writeAheadLog)
      _ = commit()
    } else {
      self.writeAheadLog = writeAheadLog
      keptSeeds[seeds.number] = seeds
      for sandbox in sandboxes.all { sandbox.writeAheadLog = writeAheadLog }
      do throws(SystemError) {
        try writeAheadLog.log.rewrite(image())
      } catch {
        throw .cannotKeep("stateDirectory \(error)")
      }
    }
  }

  private func adopt(_ recovery: Recovery, _ writeAheadLog: WriteAheadLog) {
    guard let standing = recovery.sandboxes[Sandboxes.defaultName], let latest = recovery.latest else { return }
    self.writeAheadLog = writeAheadLog
    sandboxes = Sandboxes(standing, lastNumber: recovery.lastNumber)
    for (name, sandbox) in recovery.sandboxes where name != Sandboxes.defaultName { sandboxes.add(sandbox) }
    for sandbox in sandboxes.all { sandbox.writeAheadLog = writeAheadLog }
    keptSeeds = recovery.seeds
    let given = seeds
    seeds = latest
    // Data files apply only to new sandboxes.
    if given.documents != latest.documents { take(given) }
    // The command line's settings of the default sandbox apply only if they differ from those of the last start.
    let isSame = recovery.commandLine.map { $0 == standard.scenario && $1 == standard.seed } ?? false
    guard !isSame else { return }
    writeAheadLog.note(.commandLine(standard.scenario, seed: standard.seed), undo: .none)
    standing.arm(standard.scenario, seed: standard.seed, at: realTime)
  }

  /// Listens again on the ports of sandboxes. If a port is not available, this is reported and the sandbox loses it.
  func reopenPorts() {
    for sandbox in sandboxes.all { openPort(of: sandbox) }
  }

  private func openPort(of sandbox: Sandbox) {
    guard let port = sandbox.port else { return }
    do throws(SystemError) {
      _ = try loop.open(port, for: Labels(api: sandbox.api, sandbox: sandbox.name))
    } catch {
      tell("the sandbox \(sandbox.name) has lost its port \(port): \(error)")
      sandbox.port = nil
    }
  }
}

extension SeedData {
  /// The documents by their API's index in the catalogue.
  fileprivate var byPlace: [Int: JSONValue] {
    Dictionary(uniqueKeysWithValues: documents.enumerated().map { ($0.offset, $0.element) })
  }
}
