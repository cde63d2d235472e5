public import Foundation

/// The devices of a building, as a screen shows them.
public struct DeviceList: Sendable, Hashable {
  /// In the server's order; behind them the devices that are recorded here and not in the server's list.
  public var devices: [DeviceItem]
  public var sync: SyncStatus

  public init(devices: [DeviceItem] = [], sync: SyncStatus = .idle) {
    self.devices = devices
    self.sync = sync
  }

  /// The devices with a change that the server does not have.
  public var pending: [DeviceItem] { devices.filter(\.isPending) }
  /// The number to show on a badge.
  public var pendingCount: Int { pending.count }
  /// The devices whose last change the server refused; each has its reason.
  public var rejected: [DeviceItem] { devices.filter { $0.rejection != nil } }
}

/// A device, joined with what is recorded for it on this phone.
public struct DeviceItem: Sendable, Hashable, Identifiable {
  public let id: String
  /// The device as the server has it, as far as is known; nil if the list that was last received does not have it.
  public var device: Device?
  public var change: Change

  public init(id: String, device: Device?, change: Change = .none) {
    self.id = id
    self.device = device
    self.change = change
  }

  /// A change that was recorded here.
  public enum Change: Sendable, Hashable {
    /// The server has all that was recorded.
    case none
    /// It waits for the next sync. The error is that of the last one.
    case pending(PendingInstallation, RequestError?)
    /// It is being sent.
    case sending(PendingInstallation)
    /// The server refused it.
    case rejected(RejectedInstallation)
  }

  /// The date to show: the recorded one, else the server's.
  public var installationDate: SentDate? {
    switch change {
    case .pending(let entry, _), .sending(let entry): entry.installationDate
    case .none, .rejected: device?.installationDate
    }
  }

  public var isInstalled: Bool { installationDate != nil }

  public var isPending: Bool {
    switch change {
    case .pending, .sending: true
    case .none, .rejected: false
    }
  }

  /// The server's reason for refusing the change.
  public var rejection: Rejection? { if case .rejected(let refused) = change { refused.reason } else { nil } }
}

/// The course of a sync.
public enum SyncStatus: Sendable, Hashable {
  /// Nothing is being synced.
  case idle
  /// Devices are being sent: `done` of `total` have had their turn.
  case sending(done: Int, of: Int)
  /// Nothing is sent before this moment, because servers were asked in vain a moment ago.
  case resting(until: Date)
}
