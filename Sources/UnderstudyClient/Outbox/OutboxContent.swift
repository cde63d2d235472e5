public import Foundation

/// An installation, or the removal of one, that has not reached the server.
public struct PendingInstallation: Sendable, Hashable, Codable, Identifiable {
  /// The id of the device.
  public let deviceID: String
  /// The installation date, in whole seconds; nil to remove it.
  public let installationDate: SentDate?
  /// The time of the record.
  public let recordedAt: Date
  /// Increases with every record, so that a newer entry differs from the one that is being sent.
  let revision: Int

  public var id: String { deviceID }

  func isSameChange(as device: Device) -> Bool {
    switch (installationDate, device.installationDate) {
    case (nil, nil): true
    case (let own?, let other?): own.isSameMoment(as: other)
    default: false
    }
  }
}

/// An installation that the server refused, or that cannot be sent, with the reason. It is kept until it is dismissed or
/// recorded again.
public struct RejectedInstallation: Sendable, Hashable, Codable, Identifiable {
  /// The change that was refused.
  public let installation: PendingInstallation
  /// The server's reason, or the reason for which the change cannot be sent (status 0).
  public let reason: Rejection

  public var id: String { installation.deviceID }
}

/// The content of the outbox's file.
struct OutboxContent: Sendable, Equatable, Codable {
  /// The pending changes in the order of their recording, one per device.
  private(set) var pending: [PendingInstallation] = []
  private(set) var rejected: [RejectedInstallation] = []
  private var lastRevision = 0
  /// Nil in files of versions without this list.
  private var confirmed: [PendingInstallation]?

  /// The newest change of each device that the server has accepted, until a later list of the devices is known.
  var delivered: [PendingInstallation] { confirmed ?? [] }

  func pending(_ deviceID: String) -> PendingInstallation? { pending.first { $0.deviceID == deviceID } }

  /// Returns the outcome of a device's newest change, as this or another outbox has recorded it.
  ///
  /// - Parameter oldest: The oldest revision whose outcome counts.
  func outcome(of deviceID: String, since oldest: Int) -> SyncOutcome? {
    if let refused = rejected.last(where: { $0.id == deviceID && $0.installation.revision >= oldest }) {
      return .rejected(refused.reason)
    }
    return delivered.contains { $0.deviceID == deviceID && $0.revision >= oldest } ? .confirmed : nil
  }

  mutating func record(_ date: SentDate?, for deviceID: String, at now: Date) {
    lastRevision += 1
    pending.removeAll { $0.deviceID == deviceID }
    rejected.removeAll { $0.id == deviceID }
    pending.append(
      PendingInstallation(
        deviceID: deviceID, installationDate: date, recordedAt: now, revision: lastRevision))
  }

  private mutating func remove(_ entry: PendingInstallation) {
    pending.removeAll { $0.revision == entry.revision }
  }

  mutating func confirm(_ entry: PendingInstallation) {
    remove(entry)
    confirmed = delivered.filter { $0.deviceID != entry.deviceID } + [entry]
  }

  /// Removes delivered changes that a list of the devices contains.
  mutating func forget(_ entries: [PendingInstallation]) {
    let revisions = Set(entries.map(\.revision))
    confirmed = delivered.filter { !revisions.contains($0.revision) }
  }

  mutating func reject(_ entry: PendingInstallation, because reason: Rejection) {
    remove(entry)
    rejected.append(RejectedInstallation(installation: entry, reason: reason))
  }

  mutating func withdraw(_ deviceID: String) { pending.removeAll { $0.deviceID == deviceID } }

  mutating func dismiss(_ deviceID: String) { rejected.removeAll { $0.id == deviceID } }
}
