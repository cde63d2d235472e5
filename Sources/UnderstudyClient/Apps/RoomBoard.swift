public import Foundation

/// Meeting rooms by availability, also displayed offline, with bookings that are never made twice.
///
/// Several people may share the device: bookings are separated by user.
public actor RoomBoard: RefreshedModel {
  let client: BackendClient
  let directory: ModelDirectory
  private let stored: StoredValue<[RoomBooking]>
  /// The interval of `follow()`, varied by `jitter`; at least a second.
  public nonisolated let refreshInterval: Duration
  /// The fraction by which an interval varies, so that many boards do not send their requests at the same time.
  public nonisolated let jitter: Double
  /// The maximum number of spots of a room that is running low.
  public nonisolated let lowThreshold: Int
  /// The maximum number of bytes of the pictures on disk; a picture that was stored longest ago is deleted first.
  public nonisolated let pictureCapacity: Int
  var copy: ServerCopy<[MeetingRoom]>
  /// The bookings in progress, by their intention's id.
  private var inFlight: [String: Attempt] = [:]
  /// The id of the last event of the service's stream.
  var lastEventID: String?
  /// The number of streams in a row that ended without an event.
  var failedStreamCount = 0
  /// False if the service, or the transport, has no streams.
  var hasStream = true
  private var broadcast = Broadcast<ModelState<RoomList>>()
  let wakeUps = WakeUps()

  private struct Attempt {
    let intention: BookingIntention
    let task: Task<Result<RoomBooking, BookingError>, Never>
    /// The number of callers that wait for the booking.
    var callerCount = 0
  }

  /// Creates the board. Its stored content is read when it is needed.
  ///
  /// - Parameters:
  ///   - client: The client for the booking API.
  ///   - directory: The directory of its files, which is created if it does not exist.
  ///   - lowThreshold: The maximum number of spots of a room that is running low.
  ///   - refreshInterval: The interval of `follow()`, at least a second.
  ///   - jitter: The fraction by which the interval varies, from 0 to 1, so that devices do not send their requests at
  ///     the same time.
  ///   - pictureCapacity: The maximum number of bytes of the pictures on disk.
  public init(
    _ client: BackendClient, directory: URL, lowThreshold: Int = 5, refreshInterval: Duration = .seconds(30),
    jitter: Double = 0.1, pictureCapacity: Int = 50_000_000
  ) {
    self.init(
      client, ModelDirectory(directory), lowThreshold: lowThreshold, refreshInterval: refreshInterval, jitter: jitter,
      pictureCapacity: pictureCapacity)
  }

  init(
    _ client: BackendClient, _ directory: ModelDirectory, lowThreshold: Int = 5,
    refreshInterval: Duration = .seconds(30), jitter: Double = 0.1, pictureCapacity: Int = 50_000_000
  ) {
    self.client = client
    self.directory = directory
    self.lowThreshold = lowThreshold
    self.refreshInterval = max(refreshInterval, WakeUps.minimumPause)
    self.jitter = min(max(jitter, 0), 1)
    self.pictureCapacity = pictureCapacity
    let stored = StoredValue(directory.file("bookings"), initial: [RoomBooking]())
    let copy = ServerCopy(directory.file("rooms"), initial: [MeetingRoom]())
    self.stored = stored
    self.copy = copy
    let noteChange: @Sendable () -> Void = { [weak self] in Task { await self?.noteChange() } }
    copy.onChange(noteChange)
    stored.onChange(noteChange)
  }

  /// The names under which damaged files were set aside.
  public var damagedFiles: [URL] { [copy.damagedFile, stored.damagedFile].compactMap(\.self) }

  var bookings: [RoomBooking] { stored.value }

  /// The current rooms and bookings.
  public var state: ModelState<RoomList> {
    let rooms = copy.value.map { RoomItem(room: $0, availability: $0.availability(runningLowAt: lowThreshold)) }
    var state = copy.state(RoomList(rooms: rooms, bookings: bookings))
    state.storageError = state.storageError ?? stored.failure
    return state
  }

  /// The current rooms and bookings, and those after each change.
  public func updates() -> AsyncStream<ModelState<RoomList>> {
    broadcast.stream(from: state) { [weak self] id in Task { await self?.stopListening(id) } }
  }

  /// Returns the bookings of one user on this device, the oldest first.
  public func bookings(of user: String = RoomBooking.onlyUser) -> [RoomBooking] { state.content.bookings(of: user) }

  /// Requests the rooms. If that fails, the content stays, and the state has the reason.
  ///
  /// - Parameter maximumAge: The maximum age of an acceptable copy; zero bypasses every cache.
  @discardableResult
  public func refresh(maximumAge: Duration = .zero) async throws -> ModelState<RoomList> {
    do throws(RequestError) {
      try await fetch(maximumAge)
    } catch {
      throw error.surfaced
    }
    return state
  }

  private func fetch(_ maximumAge: Duration) async throws(RequestError) {
    try await fetch(client.booking.listing(maximumAge), inOrder: MeetingRoom.byAvailability)
  }

  /// Books a spot for a user, or returns the user's existing one in this room: two taps, or a tap after a relaunch, are
  /// one booking. If an earlier tap has booked it, `isExisting` is true. A second spot requires its own intention.
  ///
  /// - Parameters:
  ///   - room: The name of the room.
  ///   - user: The user who books the spot; the default suits a device with one user.
  /// - Throws: The errors of `book(_:)`.
  @discardableResult
  public func book(_ room: String, for user: String = RoomBooking.onlyUser) async throws -> RoomBooking {
    let open =
      inFlight.values.map(\.intention).first { $0.room == room && $0.user == user }
      ?? bookings.last { $0.room == room && $0.user == user }?.intention
    return try await book(
      open ?? BookingIntention(room: room, user: user, id: client.configuration.makeKey()), isFirst: open == nil)
  }

  /// Carries out an intention once, however often this is called.
  ///
  /// It first asks the server for a free spot, so that nothing is sent offline. It stores the booking on disk before
  /// sending it, so that after a crash its outcome is unknown but it is not lost. When all waiting tasks are cancelled,
  /// the booking is cancelled, unless it was already sent.
  ///
  /// - Throws: `BookingError`; after `.request(.unknown)` the state's bookings contain it as unknown: book again, or
  ///   resolve it. `CancellationError` if the task was cancelled before anything was sent.
  @discardableResult
  public func book(_ intention: BookingIntention) async throws -> RoomBooking {
    try await book(intention, isFirst: false)
  }

  /// - Parameter isFirst: True for the first spot of a user in a room, of which there is one even if several models
  ///   book it at the same time.
  private func book(_ intention: BookingIntention, isFirst: Bool) async throws -> RoomBooking {
    let id = intention.id
    if let known = bookings.first(where: { $0.id == id }), known.state == .booked { return known.existing }
    var attempt = inFlight[id] ?? Attempt(intention: intention, task: Task { await carryOut(intention, isFirst) })
    attempt.callerCount += 1
    inFlight[id] = attempt
    let task = attempt.task
    let result = await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      Task { await self.leave(id, task) }
    }
    do throws(BookingError) {
      return try result.get()
    } catch {
      throw error.surfaced
    }
  }

  /// Returns the number of callers that wait for an intention.
  func callerCount(of intention: BookingIntention) -> Int { inFlight[intention.id]?.callerCount ?? 0 }

  /// - Parameter task: The attempt that the caller waited for. A later tap with the same intention may have begun another.
  private func leave(_ id: String, _ task: Task<Result<RoomBooking, BookingError>, Never>) {
    guard let attempt = inFlight[id], attempt.task == task else { return }
    inFlight[id]?.callerCount -= 1
    if attempt.callerCount <= 1 { attempt.task.cancel() }
  }

  private func carryOut(_ intention: BookingIntention, _ isFirst: Bool) async -> Result<RoomBooking, BookingError> {
    defer { inFlight[intention.id] = nil }
    do throws(BookingError) {
      if let known = bookings.first(where: { $0.id == intention.id }) {
        return .success(try await send(known, isFirst: false))
      }
      try await checkSpots(intention.room)
      let booking = RoomBooking(
        id: intention.id, user: intention.user, room: intention.room, date: client.configuration.clock.date(),
        state: .unknown)
      var other: RoomBooking?
      try change { bookings in
        // Another board may have carried the same intention out meanwhile.
        other = bookings.first { $0.id == booking.id }
        if other == nil, isFirst { other = bookings.last { $0.room == booking.room && $0.user == booking.user } }
        if other == nil { bookings.append(booking) }
      }
      if let other { return .success(other.state == .booked ? other.existing : try await send(other, isFirst: false)) }
      return .success(try await send(booking, isFirst: true))
    } catch {
      return .failure(error)
    }
  }

  /// Asks the server for a free spot, bypassing caches.
  private func checkSpots(_ name: String) async throws(BookingError) {
    do throws(RequestError) {
      try await fetch(.zero)
    } catch {
      throw .request(.notSent(error.obstacle))
    }
    guard let room = copy.value.first(where: { $0.name == name }) else { throw .noSuchRoom }
    guard !room.isFull else { throw .full }
  }

  /// Resolves a booking with an unknown outcome by sending it again with its key: the server books one spot per key,
  /// however often it is sent.
  ///
  /// - Throws: The errors of `book`. After `.full` and `.noSuchRoom` the booking was not made, and is discarded.
  @discardableResult
  public func resolve(_ booking: RoomBooking) async throws -> RoomBooking {
    guard bookings.contains(where: { $0.id == booking.id }) else { return booking }
    return try await book(booking.intention)
  }

  /// Removes a booking from this device. The server keeps the spot; the next tap books another.
  public func dismiss(_ booking: RoomBooking) throws(BookingError) {
    try change { $0.removeAll { $0.id == booking.id } }
  }

  private func send(_ booking: RoomBooking, isFirst: Bool) async throws(BookingError) -> RoomBooking {
    let earlierRefreshes = copy.refreshCount
    do throws(RequestError) {
      _ = try await client.perform(client.booking.booking(booking.room, booking.id))
    } catch {
      let failure = BookingError(error, isFirst: isFirst)
      if !failure.mayBeBooked { try change { $0.removeAll { $0.id == booking.id } } }
      throw failure
    }
    var booked = booking
    booked.state = .booked
    try change { bookings in
      if let index = bookings.firstIndex(where: { $0.id == booking.id }) { bookings[index] = booked }
    }
    // A list that was requested after the first attempt began already shows the spot as taken.
    if isFirst, copy.shownRefresh <= earlierRefreshes { takeSpot(in: booking.room) }
    return booked
  }

  /// Shows a booking at once, until the next refresh.
  private func takeSpot(in room: String) {
    copy.change { rooms in
      guard let index = rooms.firstIndex(where: { $0.name == room }) else { return }
      rooms[index].spots = max(0, rooms[index].spots - 1)
      rooms = MeetingRoom.byAvailability(rooms)
    }
    publish()
  }

  private func change(_ body: (inout [RoomBooking]) -> Void) throws(BookingError) {
    do throws(StorageError) {
      try stored.change(body)
    } catch {
      throw .storage(error)
    }
    publish()
  }

  private func noteChange() {
    copy.countOthersChange()
    publish()
  }

  func publish() { broadcast.send(state) }

  private func stopListening(_ id: UUID) { broadcast.remove(id) }
}
