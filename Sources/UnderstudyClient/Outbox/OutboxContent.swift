public import Foundation

/// An installation, or the removal of one, that the server does not have yet.
public struct PendingInstallation: Sendable, Hashable, Codable, Identifiable {
  public let deviceID: String
  /// When the device was installed; nil if it is to be none again. Whole seconds.
  public let installationDate: SentDate?
  /// When it was recorded here.
  public let recordedAt: Date
  /// Rises with every record, so that a newer one is told from the one that is under way.
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

/// An installation that the server will not have, with its reason. It is kept until it is dismissed or recorded anew.
public struct RejectedInstallation: Sendable, Hashable, Codable, Identifiable {
  public let installation: PendingInstallation
  public let reason: Rejection

  public var id: String { installation.deviceID }
}

/// What the outbox's file holds.
struct OutboxContent: Sendable, Equatable, Codable {
  /// In the order of their recording; one for a device.
  private(set) var pending: [PendingInstallation] = []
  private(set) var rejected: [RejectedInstallation] = []
  private var lastRevision = 0
  /// Nil in files from before there was such a list.
  private var confirmed: [PendingInstallation]?

  /// The newest change of each device that the server has taken, for as long as no later list of the devices is known.
  var delivered: [PendingInstallation] { confirmed ?? [] }

  func pending(_ deviceID: String) -> PendingInstallation? { pending.first { $0.deviceID == deviceID } }

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

  /// Forgets delivered changes that a list of the devices shows.
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
