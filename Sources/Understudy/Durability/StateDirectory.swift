import Platform

/// The images of sandboxes on a disk, and the changes that are not in them yet.
///
/// Changes are made first and stored in rounds: a round has at most one image of each changed sandbox, and the next round
/// has all that changed meanwhile. No client sees a change before its image is stored. A refused image takes the sandbox
/// back to its last stored state.
final class StateDirectory {
  let disk: any Disk
  /// The changes since the begin of the last round.
  private var changes: [Change] = []
  /// The round under way.
  private var underWay: Round?
  /// The number of the round to which the next change belongs.
  private(set) var round = 1
  /// The number of the last round that ended: all changes up to it are stored or were taken back.
  private(set) var endedRound = 0
  /// The sandboxes whose directories may have another content than their last stored state. Nothing that shows their
  /// state is sent.
  private(set) var inDoubt: [Sandbox] = []
  /// The directories of sandboxes that were refused, and may be there in spite of that.
  private var leftovers: Set<String> = []
  private var isRepairDue = false
  /// The reason for which an image was refused in the last round.
  private(set) var failure: SystemError?

  /// A change of a sandbox.
  struct Change {
    enum Kind {
      case changed
      /// It was made; it replaces an older one of the same name.
      case made
      case deleted
    }

    let sandbox: Sandbox
    let kind: Kind
    let consequences: Consequences?
  }

  /// The effects of a change that are no values of its sandbox, such as those on ports and connections. They wait until
  /// the change is stored, because they could not be taken back.
  struct Consequences {
    var ifStored: () -> Void = {}
    var ifRefused: () -> Void = {}
  }

  private struct Round {
    let changes: [Change]
    /// The subjects of its steps, in their order.
    let subjects: [Subject]
  }

  private struct Subject {
    let name: String
    /// The sandbox with its state in the image; nil for a directory that only has to go.
    let image: (sandbox: Sandbox, state: SandboxState)?
  }

  /// The changes of a round that has ended.
  struct Ended {
    var stored: [Change] = []
    /// The changes to take back: those that were refused, and those that were made since to sandboxes of the same names.
    var refused: [Change] = []
  }

  init(on disk: any Disk) { self.disk = disk }

  var changeCount: Int { changes.count }

  /// The sandboxes of the changes after the first `count`.
  func sandboxes(ofChangesAfter count: Int) -> [Sandbox] { changes[count...].map(\.sandbox) }

  /// True if there is something to store that no round includes yet.
  var isDirty: Bool { !changes.isEmpty || isRepairDue }

  /// The sandboxes with a state that is not stored.
  var unstored: [Sandbox] { changes.map(\.sandbox) + (underWay?.changes.map(\.sandbox) ?? []) + inDoubt }

  func isInDoubt(_ sandbox: Sandbox) -> Bool { inDoubt.contains { $0 === sandbox } }

  func record(_ kind: Change.Kind, of sandbox: Sandbox, _ consequences: Consequences? = nil) {
    changes.append(Change(sandbox: sandbox, kind: kind, consequences: consequences))
  }

  /// Removes the changes after the first `count`, which the caller has reverted.
  func forget(beyond count: Int) { changes.removeLast(changes.count - count) }

  /// Removes the directory of no sandbox in the next round.
  func removeLeftover(_ name: String) {
    leftovers.insert(name)
    isRepairDue = true
  }

  /// Makes the next round write the images again that are in doubt.
  func tryRepair() { isRepairDue = underWay == nil && (!inDoubt.isEmpty || !leftovers.isEmpty) }

  /// Begins a round with an image of each sandbox that has changed.
  ///
  /// - Parameter image: Returns the image of a sandbox's current state.
  /// - Returns: The round's work; nil if nothing has changed, or if a round is under way.
  func beginRound(image: (Sandbox, _ stored: SandboxState?) -> SandboxImage) -> Commit? {
    guard isDirty, underWay == nil else { return nil }
    var steps: [Commit.Step] = []
    var subjects: [Subject] = []
    if isRepairDue {
      for name in leftovers.sorted() where !changes.contains(where: { $0.sandbox.name == name }) {
        steps.append(.remove(name))
        subjects.append(Subject(name: name, image: nil))
      }
    }
    // The default sandbox is first: a deletion must not be stored without the number of its name, which is in that image.
    let due = changes.map(\.sandbox) + (isRepairDue ? inDoubt : [])
    let isDefault = { (sandbox: Sandbox) in sandbox.name == Sandboxes.defaultName }
    var seen: Set<ObjectIdentifier> = []
    for sandbox in due.filter(isDefault) + due.filter({ !isDefault($0) })
    where seen.insert(ObjectIdentifier(sandbox)).inserted {
      let isDeleted = changes.contains { $0.sandbox === sandbox && $0.kind == .deleted }
      let stored = isInDoubt(sandbox) ? nil : sandbox.stored
      steps.append(isDeleted ? .remove(sandbox.name) : .write(image(sandbox, stored)))
      subjects.append(Subject(name: sandbox.name, image: (sandbox, sandbox.state.copy())))
    }
    underWay = Round(changes: changes, subjects: subjects)
    (changes, isRepairDue, round) = ([], false, round + 1)
    return Commit(disk: Exclusive<any Disk>(object: disk), steps: steps)
  }

  /// Applies the outcomes of a round's steps.
  func endRound(_ outcomes: [Commit.StepResult]) -> Ended {
    guard let ended = underWay else { preconditionFailure("a round ends once") }
    underWay = nil
    endedRound = round - 1
    failure = nil
    var refused: Set<ObjectIdentifier> = []
    var refusedNames: Set<String> = []
    for (subject, outcome) in zip(ended.subjects, outcomes) {
      switch outcome {
      case .stored:
        leftovers.remove(subject.name)
        guard let (sandbox, state) = subject.image else { continue }
        inDoubt.removeAll { $0 === sandbox }
        sandbox.stored = state
      case .refused(let error, let isInDoubt):
        failure = failure ?? error
        guard let sandbox = subject.image?.sandbox else { continue }
        refused.insert(ObjectIdentifier(sandbox))
        refusedNames.insert(subject.name)
        guard isInDoubt else { continue }
        if sandbox.stored == nil { leftovers.insert(subject.name) } else { markInDoubt(sandbox) }
      }
    }
    func isRefused(_ change: Change) -> Bool { refused.contains(ObjectIdentifier(change.sandbox)) }
    // Of a sandbox that comes back, a newer one may have taken the name since.
    func isRefusedWithName(_ change: Change) -> Bool { refusedNames.contains(change.sandbox.name) }
    defer { changes.removeAll(where: isRefusedWithName) }
    return Ended(
      stored: ended.changes.filter { !isRefused($0) },
      refused: ended.changes.filter(isRefused) + changes.filter(isRefusedWithName))
  }

  private func markInDoubt(_ sandbox: Sandbox) {
    if !isInDoubt(sandbox) { inDoubt.append(sandbox) }
  }
}
