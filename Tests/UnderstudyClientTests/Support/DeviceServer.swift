import Foundation
import JSON

@testable import UnderstudyClient

/// A devices backend as a transport: it stores dates, evaluates `If-Match`, and loses the requests and responses that a
/// test selects.
actor DeviceServer: Transport {
  enum Fault: Sendable {
    case none, offline
    /// The write is not applied, or it is applied and its response is lost.
    case lostRequest, lostReply
    case status(Int)
    /// A proxy answers in the place of the service.
    case stranger(Int)
    /// The write waits for `letPassLate`, and its response is lost.
    case late
  }

  private(set) var dates: [String: String?]
  private(set) var writes: [String] = []
  private(set) var reads = 0
  private(set) var maximumAtOnce = 0
  private var atOnce = 0
  private var waiting: [(id: String, request: TransportRequest)] = []
  /// The fault of the n-th PATCH, counted from 1.
  private let fault: @Sendable (String, Int) -> Fault
  /// Runs during a PATCH.
  private var meanwhile: (@Sendable (String) async -> Void)?

  init(_ ids: [String], fault: @escaping @Sendable (String, Int) -> Fault = { _, _ in .none }) {
    dates = Dictionary(uniqueKeysWithValues: ids.map { ($0, nil) })
    self.fault = fault
  }

  /// Undoes an installation, as another installer does.
  func remove(_ id: String) { dates[id] = .some(nil) }

  func during(_ body: @escaping @Sendable (String) async -> Void) { meanwhile = body }

  func send(_ request: TransportRequest, timeout: Duration) async throws(TransportFailure) -> TransportResponse {
    atOnce += 1
    maximumAtOnce = max(maximumAtOnce, atOnce)
    await Task.yield()
    defer { atOnce -= 1 }
    let id = request.url.lastPathComponent
    guard request.method == "PATCH" else { return try read(id) }
    let body = String(decoding: request.body ?? Data(), as: UTF8.self)
    writes.append("\(id) \(body)")
    let fault = fault(id, writes.count)
    await meanwhile?(id)
    switch fault {
    case .none: return apply(id, request)
    case .offline: throw .notSent(.offline)
    case .lostRequest: throw .lost(.timedOut)
    case .lostReply:
      _ = apply(id, request)
      throw .lost(.timedOut)
    case .status(let status): return Self.refusal(status)
    case .stranger(let status):
      return TransportResponse(status: status, headers: ["Content-Type": "text/html"], body: Data("<html>".utf8))
    case .late:
      waiting.append((id, request))
      throw .lost(.timedOut)
    }
  }

  /// Returns the response, for a script.
  func answer(_ request: TransportRequest) async -> ScriptedTransport.Answer {
    do throws(TransportFailure) {
      return .success(try await send(request, timeout: .seconds(1)))
    } catch {
      return .failure(error)
    }
  }

  /// Applies the delayed writes.
  ///
  /// - Returns: The statuses, which no client receives.
  func letPassLate() -> [Int] {
    defer { waiting = [] }
    return waiting.map { apply($0.id, $0.request).status }
  }

  /// A refusal by the service itself.
  private static func refusal(_ status: Int) -> TransportResponse {
    TransportResponse(status: status, body: Data("{}".utf8))
  }

  private func tag(_ id: String) -> String { "\"\((dates[id] ?? nil) ?? "-")\"" }

  private func read(_ id: String) throws(TransportFailure) -> TransportResponse {
    reads += 1
    if id == "devices" {
      let list = JSONValue.array(dates.keys.sorted().map(device))
      return TransportResponse(status: 200, body: Data(list.bytes()))
    }
    guard dates[id] != nil else { return Self.refusal(404) }
    return TransportResponse(status: 200, headers: ["ETag": tag(id)], body: Data(device(id).bytes()))
  }

  private func device(_ id: String) -> JSONValue {
    [
      "id": .string(id), "type": "heating", "meterPointDescription": "Hall",
      "installationDate": (dates[id] ?? nil).map { .string($0) } ?? .null,
    ]
  }

  private func apply(_ id: String, _ request: TransportRequest) -> TransportResponse {
    guard dates[id] != nil else { return Self.refusal(404) }
    if let wanted = request.headers["If-Match"], wanted != tag(id) { return TransportResponse(status: 412) }
    let body = try? JSONValue(parsing: Array(request.body ?? Data()))
    dates[id] = .some(body?["installationDate"]?.string)
    return TransportResponse(status: 200)
  }
}

extension RoomBoard {
  /// Books twice at once, like a user who taps again before the first response.
  func bookByTwoTaps(_ intention: BookingIntention) async throws -> RoomBooking {
    async let second = result(of: intention)
    let first = await result(of: intention)
    return try await second.flatMap { _ in first }.get()
  }

  private func result(of intention: BookingIntention) async -> Result<RoomBooking, any Error> {
    do {
      return .success(try await book(intention))
    } catch {
      return .failure(error)
    }
  }
}
