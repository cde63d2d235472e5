public import Foundation

/// The devices of a building, for display.
public struct DeviceList: Sendable, Hashable {
  /// The devices in the server's order, then those that are recorded here and missing from the server's list.
  public var devices: [DeviceItem]
  /// The state of the sync with the server.
  public var sync: SyncStatus

  /// Creates a list, for previews.
  public init(devices: [DeviceItem] = [], sync: SyncStatus = .idle) {
    self.devices = devices
    self.sync = sync
  }

  /// The devices with a change that has not reached the server.
  public var pending: [DeviceItem] { devices.filter(\.isPending) }
  /// The number for a badge.
  public var pendingCount: Int { pending.count }
  /// The devices whose last change the server refused; each has its reason.
  public var rejected: [DeviceItem] { devices.filter { $0.rejection != nil } }
}

/// A device, joined with its recorded change on this phone.
public struct DeviceItem: Sendable, Hashable, Identifiable {
  /// The id of the device.
  public let id: String
  /// The server's device, as far as known; nil if the last received list does not contain it.
  public var device: Device?
  /// The change that was recorded on this phone, and how far it came.
  public var change: Change

  /// Creates a device of the list, for previews.
  public init(id: String, device: Device?, change: Change = .none) {
    self.id = id
    self.device = device
    self.change = change
  }

  /// A change that was recorded on this phone.
  public enum Change: Sendable, Hashable {
    /// The server has every recorded change.
    case none
    /// The change waits for the next sync. The error is that of the last attempt.
    case pending(PendingInstallation, RequestError?)
    /// The change is being sent.
    case sending(PendingInstallation)
    /// The server refused the change.
    case rejected(RejectedInstallation)
  }

  /// The displayed date: the recorded one, or else the server's.
  public var installationDate: SentDate? {
    switch change {
    case .pending(let entry, _), .sending(let entry): entry.installationDate
    case .none, .rejected: device?.installationDate
    }
  }

  /// True if the displayed date is not nil.
  public var isInstalled: Bool { installationDate != nil }

  /// True if the recorded change has not reached the server.
  public var isPending: Bool {
    switch change {
    case .pending, .sending: true
    case .none, .rejected: false
    }
  }

  /// The server's reason for refusing the change.
  public var rejection: Rejection? { if case .rejected(let refused) = change { refused.reason } else { nil } }
}

/// The state of a sync.
public enum SyncStatus: Sendable, Hashable {
  /// No sync is running.
  case idle
  /// Devices are being sent: `done` of `total` are finished.
  case sending(done: Int, of: Int)
  /// Nothing is sent before this time, because recent requests failed.
  case resting(until: Date)
}
