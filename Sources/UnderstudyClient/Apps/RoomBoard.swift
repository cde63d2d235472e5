public import Foundation

/// Meeting rooms by availability, shown offline too, and bookings that are never made twice.
///
/// Several people may share the device: their bookings are kept apart by user.
public actor RoomBoard {
  let client: BackendClient
  let directory: ModelDirectory
  private let file: DurableFile
  /// How often `follow()` asks, give or take `jitter`.
  public nonisolated let refreshInterval: Duration
  /// By which part of itself an interval may be longer or shorter, so that many boards do not ask in step.
  public nonisolated let jitter: Double
  /// The number of spots up to which a room counts as running low.
  public nonisolated let lowThreshold: Int
  /// Files that could not be understood when the board was opened, under the names under which they were set aside.
  public nonisolated let damagedFiles: [URL]
  private var copy: ServerCopy<[MeetingRoom]>
  private var bookings: [RoomBooking]
  /// The bookings that are being sent, by their intention's id.
  private var underWay: [String: Attempt] = [:]
  private var broadcast = Broadcast<ModelState<RoomList>>()

  private struct Attempt {
    let intention: BookingIntention
    let task: Task<Result<RoomBooking, BookingError>, Never>
    /// The number of callers that wait for it.
    var callerCount = 0
  }

  /// Opens the board with what is on disk.
  ///
  /// - Parameters:
  ///   - client: Asks the booking API.
  ///   - directory: The directory of its files, which is made if there is none. It belongs to one board at a time.
  ///   - lowThreshold: The number of spots up to which a room counts as running low.
  ///   - refreshInterval: How often `follow()` asks.
  ///   - jitter: The share of the interval by which it varies, from 0 to 1, so that devices do not ask in step.
  public init(
    _ client: BackendClient, directory: URL, lowThreshold: Int = 5, refreshInterval: Duration = .seconds(30),
    jitter: Double = 0.1
  ) throws(StorageError) {
    try self.init(
      client, ModelDirectory(directory), lowThreshold: lowThreshold, refreshInterval: refreshInterval, jitter: jitter)
  }

  init(
    _ client: BackendClient, _ directory: ModelDirectory, lowThreshold: Int = 5,
    refreshInterval: Duration = .seconds(30), jitter: Double = 0.1
  ) throws(StorageError) {
    self.client = client
    self.directory = directory
    self.lowThreshold = lowThreshold
    self.refreshInterval = refreshInterval
    self.jitter = min(max(jitter, 0), 1)
    file = directory.file("bookings")
    let loaded = try file.load(as: [RoomBooking].self)
    bookings = loaded.value ?? []
    let copy = try ServerCopy(directory.file("rooms"), initial: [MeetingRoom]())
    self.copy = copy
    damagedFiles = [copy.damagedFile, loaded.setAside.map { URL(fileURLWithPath: $0) }].compactMap(\.self)
  }

  /// The rooms and bookings now.
  public var state: ModelState<RoomList> {
    let rooms = copy.value.map { RoomItem(room: $0, availability: $0.availability(runningLowAt: lowThreshold)) }
    return copy.state(RoomList(rooms: rooms, bookings: bookings))
  }

  /// The rooms and bookings now and after each change.
  public func updates() -> AsyncStream<ModelState<RoomList>> {
    broadcast.stream(from: state) { [weak self] id in Task { await self?.stopListening(id) } }
  }

  /// The bookings of one user on this device, the oldest first.
  public func bookings(of user: String) -> [RoomBooking] { state.content.bookings(of: user) }

  /// Asks for the rooms. What is shown stays if that fails, and the state has the reason.
  ///
  /// - Parameter maximumAge: How old a copy may be that will do; zero goes past every cache.
  @discardableResult
  public func refresh(maximumAge: Duration = .zero) async throws(RequestError) -> ModelState<RoomList> {
    let refresh = copy.beginRefresh()
    publish()
    do throws(RequestError) {
      let fetched = try await client.booking.rooms(maximumAge: maximumAge)
      copy.end(
        refresh, with: MeetingRoom.byAvailability(fetched.value), at: fetched.date, isCopy: fetched.source == .cache)
      publish()
      return state
    } catch {
      copy.end(refresh, with: error)
      publish()
      throw error
    }
  }

  /// Refreshes at the board's interval until the task is cancelled, and finds out about bookings of unknown outcome.
  /// A failure is left to the next time; the state has the reason.
  public func follow() async {
    while !Task.isCancelled {
      if (try? await refresh()) != nil {
        for booking in bookings where booking.state == .unknown { _ = try? await settle(booking) }
      }
      do { try await client.configuration.clock.sleep(nextInterval()) } catch { return }
    }
  }

  private func nextInterval() -> Duration {
    refreshInterval * (1 + jitter * (2 * client.configuration.random() - 1))
  }

  /// Takes a spot in a room for a user, or returns the one that the user has there: two taps, and a tap after a relaunch,
  /// are one booking. A second spot wants an intention of its own.
  ///
  /// - Throws: As `book(_:)` does.
  @discardableResult
  public func book(_ room: String, for user: String) async throws(BookingError) -> RoomBooking {
    let open =
      underWay.values.map(\.intention).first { $0.room == room && $0.user == user }
      ?? bookings.last { $0.room == room && $0.user == user }?.intention
    return try await book(
      open ?? BookingIntention(toBook: room, for: user, id: client.configuration.makeKey()))
  }

  /// Carries out an intention, once, however often this is called.
  ///
  /// It first asks the server itself whether there is a spot, so that offline nothing is sent; it notes the booking on
  /// disk before sending it, so that a crash leaves it as unknown and not forgotten. When all tasks that wait for it are
  /// cancelled, so is the booking, as far as it was not sent.
  ///
  /// - Throws: `BookingError`. After `.request(.unknown)` the booking is among the state's bookings as unknown: book
  ///   again, or settle it.
  @discardableResult
  public func book(_ intention: BookingIntention) async throws(BookingError) -> RoomBooking {
    let id = intention.id
    if let known = bookings.first(where: { $0.id == id }), known.state == .booked { return known }
    var attempt = underWay[id] ?? Attempt(intention: intention, task: Task { await carryOut(intention) })
    attempt.callerCount += 1
    underWay[id] = attempt
    let task = attempt.task
    let result = await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      Task { await self.leave(id) }
    }
    return try result.get()
  }

  /// The number of callers that wait for an intention to be carried out.
  func callerCount(of intention: BookingIntention) -> Int { underWay[intention.id]?.callerCount ?? 0 }

  private func leave(_ id: String) {
    guard let attempt = underWay[id] else { return }
    underWay[id]?.callerCount -= 1
    if attempt.callerCount <= 1 { attempt.task.cancel() }
  }

  private func carryOut(_ intention: BookingIntention) async -> Result<RoomBooking, BookingError> {
    defer { underWay[intention.id] = nil }
    do throws(BookingError) {
      if let known = bookings.first(where: { $0.id == intention.id }) {
        return .success(try await send(known, isFirst: false))
      }
      try await checkSpots(intention.room)
      let booking = RoomBooking(
        id: intention.id, user: intention.user, room: intention.room, date: client.configuration.clock.date(),
        state: .unknown)
      try change { $0.append(booking) }
      return .success(try await send(booking, isFirst: true))
    } catch {
      return .failure(error)
    }
  }

  /// Asks the server itself whether there is a spot.
  private func checkSpots(_ name: String) async throws(BookingError) {
    do throws(RequestError) {
      try await refresh()
    } catch {
      throw .request(.notSent(error.obstacle))
    }
    guard let room = copy.value.first(where: { $0.name == name }) else { throw .noSuchRoom }
    guard !room.isFull else { throw .full }
  }

  /// Finds out about a booking of unknown outcome, by sending it again under its own key: the server takes one spot for
  /// a key, however often it comes.
  ///
  /// - Throws: As `book` does. After `.full` and `.noSuchRoom` the booking was not made, and is forgotten.
  @discardableResult
  public func settle(_ booking: RoomBooking) async throws(BookingError) -> RoomBooking {
    guard bookings.contains(where: { $0.id == booking.id }) else { return booking }
    return try await book(booking.intention)
  }

  /// Forgets a booking on this device. The server keeps the spot; the next tap books another.
  public func dismiss(_ booking: RoomBooking) throws(BookingError) {
    try change { $0.removeAll { $0.id == booking.id } }
  }

  private func send(_ booking: RoomBooking, isFirst: Bool) async throws(BookingError) -> RoomBooking {
    do throws(RequestError) {
      try await client.booking.book(booking.room, key: booking.id)
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
    // Rooms that were listed since the first try show the spot as taken.
    if isFirst { takeSpot(in: booking.room) }
    return booked
  }

  /// Shows a booking at once, until the next refresh tells how things really are.
  private func takeSpot(in room: String) {
    copy.change { rooms in
      guard let index = rooms.firstIndex(where: { $0.name == room }) else { return }
      rooms[index].spots = max(0, rooms[index].spots - 1)
      rooms = MeetingRoom.byAvailability(rooms)
    }
    publish()
  }

  private func change(_ body: (inout [RoomBooking]) -> Void) throws(BookingError) {
    var next = bookings
    body(&next)
    do throws(StorageError) {
      try file.save(value: next)
    } catch {
      throw .storage(error)
    }
    bookings = next
    publish()
  }

  private func publish() { broadcast.send(state) }

  private func stopListening(_ id: UUID) { broadcast.remove(id) }
}
