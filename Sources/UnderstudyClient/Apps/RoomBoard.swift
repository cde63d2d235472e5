public import Foundation

/// Meeting rooms by availability, with a say on how fresh that is, and bookings that are never made twice.
///
/// Several people may share the device: their bookings are kept apart by user.
public actor RoomBoard {
  private let client: BackendClient
  private let file: DurableFile
  /// How often `follow()` asks, give or take `jitter`.
  public nonisolated let refreshInterval: Duration
  /// By which part of itself an interval may be longer or shorter, so that many boards do not ask in step.
  public nonisolated let jitter: Double
  /// Where a file that could not be understood was set aside when this board was opened.
  public nonisolated let damagedFile: URL?
  /// The rooms with the most spots first and the full ones last, when the server vouched for them, and how they came.
  public private(set) var board: Fetched<[MeetingRoom]>?
  private var bookings: [RoomBooking]
  /// How many times the rooms were asked for, and which of these requests the board is the response to.
  private var (requestCount, shownRequest) = (0, 0)
  private var broadcast = Broadcast<Fetched<[MeetingRoom]>>()

  /// - Parameters:
  ///   - client: Asks the booking API.
  ///   - url: The file of this device's bookings; its directory must exist.
  ///   - refreshInterval: How often `follow()` asks.
  ///   - jitter: The share of the interval by which it varies, from 0 to 1, so that devices do not ask in step.
  public init(
    _ client: BackendClient, file url: URL, refreshInterval: Duration = .seconds(30), jitter: Double = 0.1
  ) throws(StorageError) {
    try self.init(
      client, path: url.path, store: DiskFileStore(), refreshInterval: refreshInterval, jitter: jitter)
  }

  init(
    _ client: BackendClient, path: String, store: any FileStore, refreshInterval: Duration = .seconds(30),
    jitter: Double = 0.1
  ) throws(StorageError) {
    self.client = client
    self.refreshInterval = refreshInterval
    self.jitter = min(max(jitter, 0), 1)
    file = DurableFile(path: path, kind: "understudy-bookings", store: store)
    let loaded = try file.load(as: [RoomBooking].self)
    bookings = loaded.value ?? []
    damagedFile = loaded.setAside.map { URL(fileURLWithPath: $0) }
  }

  /// The bookings of one user on this device, the oldest first.
  public func bookings(of user: String) -> [RoomBooking] { bookings.filter { $0.user == user } }

  /// The board now, if there is one, and after each change.
  public func updates() -> AsyncStream<Fetched<[MeetingRoom]>> {
    let (updates, continuation) = AsyncStream.makeStream(
      of: Fetched<[MeetingRoom]>.self, bufferingPolicy: .bufferingNewest(1))
    broadcast.add(continuation) { [weak self] id in Task { await self?.stopListening(id) } }
    if let board { continuation.yield(board) }
    return updates
  }

  /// Asks for the rooms. What is shown stays if that fails.
  ///
  /// - Parameter maximumAge: How old a copy may be that will do; zero goes past every cache.
  @discardableResult
  public func refresh(maximumAge: Duration = .zero) async throws(RequestError) -> Fetched<[MeetingRoom]> {
    requestCount += 1
    let request = requestCount
    var fetched = try await client.booking.rooms(maximumAge: maximumAge)
    fetched.value = Self.byAvailability(fetched.value)
    // A response that was overtaken by that of a later request, or comes from an older copy, is not shown.
    if let board, request < shownRequest || board.date > fetched.date { return board }
    shownRequest = request
    board = fetched
    broadcast.send(fetched)
    return fetched
  }

  /// Refreshes at the board's interval until the task is cancelled. What fails is left to the next time.
  public func follow() async {
    while !Task.isCancelled {
      _ = try? await refresh()
      do { try await client.configuration.clock.sleep(nextInterval()) } catch { return }
    }
  }

  private func nextInterval() -> Duration {
    refreshInterval * (1 + jitter * (2 * client.configuration.random() - 1))
  }

  /// The most spots first, the full last; what has equally many stays in the server's order.
  static func byAvailability(_ rooms: [MeetingRoom]) -> [MeetingRoom] {
    rooms.enumerated()
      .sorted { ($1.element.spots, $0.offset) < ($0.element.spots, $1.offset) }
      .map(\.element)
  }

  /// Takes a spot for a user.
  ///
  /// It first asks the server itself whether there is one, so that offline nothing is sent; it notes the booking on
  /// disk before sending it, so that a crash leaves it as unknown and not forgotten.
  ///
  /// - Throws: `BookingError`. After `.request(.unknown)` the booking is among `bookings(of:)` as unknown: settle it.
  public func book(_ room: String, for user: String) async throws(BookingError) -> RoomBooking {
    let rooms: [MeetingRoom]
    do throws(RequestError) {
      rooms = try await refresh().value
    } catch {
      throw .request(.notSent(error.obstacle))
    }
    guard let found = rooms.first(where: { $0.name == room }) else { throw .noSuchRoom }
    guard !found.isFull else { throw .full }
    let configuration = client.configuration
    let booking = RoomBooking(
      id: configuration.makeKey(), user: user, room: room, date: configuration.clock.date(), state: .unknown)
    try change { $0.append(booking) }
    return try await send(booking, isFirst: true)
  }

  /// Finds out about a booking of unknown outcome, by sending it again under its own key: the server takes one spot for
  /// a key, however often it comes.
  ///
  /// - Throws: As `book` does. After `.full` and `.noSuchRoom` the booking was not made, and is forgotten.
  public func settle(_ booking: RoomBooking) async throws(BookingError) -> RoomBooking {
    guard let known = bookings.first(where: { $0.id == booking.id }) else { return booking }
    guard known.state == .unknown else { return known }
    return try await send(known, isFirst: false)
  }

  private func send(_ booking: RoomBooking, isFirst: Bool) async throws(BookingError) -> RoomBooking {
    do throws(RequestError) {
      try await client.booking.book(booking.room, key: booking.id)
    } catch {
      try note(error, on: booking, isFirst: isFirst)
    }
    var booked = booking
    booked.state = .booked
    try change { bookings in
      if let place = bookings.firstIndex(where: { $0.id == booking.id }) { bookings[place] = booked }
    }
    takeSpot(in: booking.room)
    return booked
  }

  /// Forgets a booking if it was surely not made, and says why it failed.
  ///
  /// - Parameter isFirst: Whether it was never sent before: then what did not arrive now never did.
  private func note(_ error: RequestError, on booking: RoomBooking, isFirst: Bool) throws(BookingError) -> Never {
    switch error {
    case .rejected(let reason) where isFirst || !reason.isTemporary: break
    case .notSent where isFirst: break
    default: throw .request(.unknown(error.obstacle))
    }
    try change { $0.removeAll { $0.id == booking.id } }
    switch error {
    case .rejected(let reason) where reason.status == 409 && !reason.isKeyInFlight: throw .full
    case .rejected(let reason) where reason.status == 404: throw .noSuchRoom
    default: throw .request(error)
    }
  }

  /// Shows a booking at once, until the next refresh tells how things really are.
  private func takeSpot(in room: String) {
    guard var shown = board, let place = shown.value.firstIndex(where: { $0.name == room }) else { return }
    shown.value[place].spots = max(0, shown.value[place].spots - 1)
    shown.value = Self.byAvailability(shown.value)
    board = shown
    broadcast.send(shown)
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
  }

  private func stopListening(_ id: UUID) { broadcast.remove(id) }
}
