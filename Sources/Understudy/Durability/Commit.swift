import Platform

/// The work of a round: the images to write and the directories to remove. It is begun and ended on the loop, and executed
/// on any thread. At most one is under way.
struct Commit: Sendable {
  enum Step: Sendable {
    case write(SandboxImage)
    /// Remove a sandbox's directory.
    case remove(String)
  }

  enum StepResult: Sendable {
    case stored
    /// The step failed. Unless it is in doubt, the directory is as before.
    case refused(SystemError, isInDoubt: Bool)
  }

  let disk: Exclusive<any Disk>
  let steps: [Step]

  /// Returns the outcome of each step when its changes are durable, or have failed.
  func run() -> [StepResult] {
    var outcomes: [StepResult] = []
    var failures: [String: SystemError] = [:]
    for step in steps {
      outcomes.append(obstacle(step, failures).map { StepResult.refused($0, isInDoubt: false) } ?? outcome(step))
      if case .refused(let error, _) = outcomes.last { failures[step.name] = error }
    }
    guard steps.contains(where: \.changesNames) else { return outcomes }
    do throws(SystemError) {
      try disk.object.synchronize(nil)
    } catch {
      for index in steps.indices where steps[index].changesNames {
        outcomes[index] = .refused(error, isInDoubt: true)
      }
    }
    return outcomes
  }

  /// Returns the failure of an earlier step for which a step cannot be stored: after a refused deletion the old sandbox
  /// stays, and the new one of its name cannot be stored; without the image of the default sandbox, which has the highest
  /// generated number, no generated name may become free.
  private func obstacle(_ step: Step, _ failures: [String: SystemError]) -> SystemError? {
    if let failure = failures[step.name] { return failure }
    guard case .remove(let name) = step, Sandboxes.number(in: name) != nil else { return nil }
    return failures[Sandboxes.defaultName]
  }

  private func outcome(_ step: Step) -> StepResult {
    switch step {
    case .write(let image): write(image)
    case .remove(let name): remove(name)
    }
  }

  /// Writes the files of an image under other names, and then replaces the old ones.
  private func write(_ image: SandboxImage) -> StepResult {
    let disk = disk.object
    var drafts: [String] = []
    do throws(SystemError) {
      if image.isWhole {
        try disk.makeDirectory(image.name)
        try removeRemains(of: image.name)
      }
      for file in image.files {
        let draft = "\(image.name)/\(SandboxImage.draft(of: file.name))"
        drafts.append(draft)
        try disk.write(file.bytes(), to: draft)
      }
    } catch {
      for draft in drafts { try? disk.remove(draft) }
      if image.isWhole { disk.removeDirectory(image.name) }
      return .refused(error, isInDoubt: false)
    }
    do throws(SystemError) {
      for (draft, file) in zip(drafts, image.files) { try disk.rename(draft, to: "\(image.name)/\(file.name)") }
      if image.isWhole {
        let names = Set(image.files.map(\.name))
        for name in try disk.names(in: image.name) where SandboxImage.isOfImage(name) && !names.contains(name) {
          try disk.remove("\(image.name)/\(name)")
        }
      }
      try disk.synchronize(image.name)
    } catch {
      return .refused(error, isInDoubt: true)
    }
    return .stored
  }

  /// Removes what a deleted sandbox of the same name has left, before a new state makes it a part of the new sandbox.
  private func removeRemains(of name: String) throws(SystemError) {
    let disk = disk.object
    let remains = try disk.names(in: name).filter(SandboxImage.isOfImage)
    guard !remains.isEmpty, !remains.contains(SandboxImage.stateFile) else { return }
    for file in remains { try disk.remove("\(name)/\(file)") }
    try disk.synchronize(name)
  }

  /// Removes a directory. A directory without the file of a state has no sandbox.
  private func remove(_ name: String) -> StepResult {
    let disk = disk.object
    do throws(SystemError) {
      let names = try disk.names(in: name).filter(SandboxImage.isOfImage)
      guard !names.isEmpty else { return .stored }
      try disk.remove("\(name)/\(SandboxImage.stateFile)")
      try disk.synchronize(name)
      // What stays is removed by the next start, or by a new sandbox of the name.
      for file in names where file != SandboxImage.stateFile { try? disk.remove("\(name)/\(file)") }
    } catch {
      return .refused(error, isInDoubt: true)
    }
    disk.removeDirectory(name)
    return .stored
  }
}

extension Commit.Step {
  fileprivate var name: String {
    switch self {
    case .write(let image): image.name
    case .remove(let name): name
    }
  }

  /// True if the step may make or remove a directory.
  fileprivate var changesNames: Bool {
    switch self {
    case .write(let image): image.isWhole
    case .remove: true
    }
  }
}
