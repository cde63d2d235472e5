import Contract
import Foundation

extension DeviceOutbox {
  /// Sends a device's newest change to the server, and then any change that is recorded in the meantime.
  ///
  /// - Parameter oldest: The revision of the change that was to be sent; what became of older ones is no outcome.
  func deliver(_ deviceID: String, since oldest: Int) async -> SyncOutcome {
    var attempt = 0
    var start = client.configuration.clock.elapsed()
    var (tried, outcome) = (oldest, SyncOutcome.withdrawn)
    while let entry = content.pending(deviceID) {
      attempt += 1
      tried = entry.revision
      progress.tried[deviceID] = tried
      do {
        if try await write(entry) { outcome = .confirmed }
        if let end = recordOutcome(entry, nil) { return end }
      } catch {
        if let reason = Self.finalRejection(error) {
          if let end = recordOutcome(entry, reason) { return end }
          (attempt, start) = (0, client.configuration.clock.elapsed())
          continue
        }
        if Self.mayHaveReachedServer(error) { progress.contacted.insert(deviceID) }
        if case .unknown = error { doubts.insert(deviceID) }
        let failure = BackendClient.AttemptFailure(outcome: Self.outcome(of: error), error: error)
        let policy = client.configuration.policy
        if await client.pause(after: attempt, failure, .always, policy, since: start), !Task.isCancelled { continue }
        guard await wasApplied(entry, error) else { return .pending(error) }
        if let end = recordOutcome(entry, nil) { return end }
      }
      // After the older change was delivered, a newer one has its own attempts; while the older one fails, both share
      // them.
      (attempt, start) = (0, client.configuration.clock.elapsed())
    }
    // The change was withdrawn, or another outbox has settled it.
    return content.outcome(of: deviceID, since: tried) ?? outcome
  }

  /// Returns true if the last attempt, whose outcome is unknown, was applied. This is checked now, because the time of
  /// the next sync is unknown.
  private func wasApplied(_ entry: PendingInstallation, _ error: RequestError) async -> Bool {
    guard case .unknown = error, !error.isCancellation, !Task.isCancelled,
      let device = try? await read(entry.deviceID).device
    else { return false }
    return entry.isSameChange(as: device)
  }

  /// Returns true if a newer change of the device was recorded, by this outbox or by another one.
  private func isSuperseded(_ entry: PendingInstallation) -> Bool {
    content.pending(entry.deviceID)?.revision != entry.revision
  }

  /// Records that the server accepted or refused an entry.
  ///
  /// - Returns: Nil if a newer entry has replaced it, which still has to be sent.
  private func recordOutcome(_ entry: PendingInstallation, _ reason: Rejection?) -> SyncOutcome? {
    guard !isSuperseded(entry) else { return nil }
    do {
      try change { content in
        if let reason { content.reject(entry, because: reason) } else { content.confirm(entry) }
      }
      return reason.map { .rejected($0) } ?? .confirmed
    } catch {
      return .notStored(error)
    }
  }

  /// Reads the device, and writes it if it differs from the entry.
  ///
  /// - Returns: False if a newer change was recorded while the device was read; then this one must not be sent.
  private func write(_ entry: PendingInstallation) async throws(RequestError) -> Bool {
    let seen = try await read(entry.deviceID)
    if let device = seen.device, entry.isSameChange(as: device) { return true }
    guard !isSuperseded(entry) else { return false }
    let change = DeviceChange(installationDate: .init(entry.installationDate))
    var call = try client.devices.patching(
      entry.deviceID, change, ifMatch: seen.etag, repeatability: .ifNotApplied)
    call.maximumAttempts = 1
    _ = try await client.perform(call)
    return true
  }

  /// Returns the server's device and its tag.
  ///
  /// The original service does not serve single devices and returns 400; then the device is looked up in the list,
  /// which has no tag for it.
  private func read(_ deviceID: String) async throws(RequestError) -> (device: Device?, etag: String?) {
    do throws(RequestError) {
      var call = client.devices.reading(deviceID)
      call.maximumAttempts = 1
      let response = try await client.perform(call)
      doubts.remove(deviceID)
      return (response.value, response.etag)
    } catch {
      guard case .rejected(let reason) = error, [400, 404, 405].contains(reason.status) else { throw error }
      var call = client.devices.listing()
      call.maximumAttempts = 1
      let devices = try await client.perform(call).value
      doubts.remove(deviceID)
      return (devices.first { $0.id == deviceID }, nil)
    }
  }

  /// Returns the reason for which no further attempt can succeed; nil if one might.
  private static func finalRejection(_ error: RequestError) -> Rejection? {
    switch error {
    // An acknowledged record stays pending until the service itself refuses it.
    case .rejected(let reason) where reason.settlesEarlierAttempts: reason
    case .notSent(.unsendable(let text)): .unsendable(text)
    default: nil
    }
  }

  private static func mayHaveReachedServer(_ error: RequestError) -> Bool {
    if case .notSent = error { false } else { true }
  }

  private static func outcome(of error: RequestError) -> AttemptOutcome {
    switch error {
    case .notSent(.cancelled), .unknown(.cancelled), .unanswered(.cancelled), .notSent(.tooSoon): .abandoned
    case .notSent: .notSent
    case .rejected(let reason) where reason.status == 412: .lost
    case .rejected(let reason), .unknown(.serverFailure(let reason)):
      .answered(status: reason.status, retryAfter: reason.retryAfter, isKeyInFlight: reason.isKeyInFlight)
    case .unknown, .unanswered: .lost
    }
  }
}
