import Contract
import JSON
import Seeds

/// The handlers and state of the devices API.
struct DeviceInventory: Service {
  static let contract = API.devices
  static let seed = SeedFiles.devices

  static let handlers = Handlers<DeviceInventory>(
    .on("listDevices") { inventory, _ in Response(200, inventory.devices.representation()) },
    .on("getDevice") { inventory, call in
      guard let device = inventory.devices.representation(of: call.arguments[0]) else {
        return .problem(unknown(call.arguments[0]))
      }
      return Response(200, device)
    },
    .on("patchDevice") { inventory, call in
      do throws(Problem) {
        return try inventory.patch(call.arguments[0], call.body)
      } catch {
        return .problem(error)
      }
    },
  )

  private var devices: RecordTable

  init(data: JSONValue, at now: Instant) throws(ValidationError) {
    let dated = (data.array ?? []).map { Self.dated($0, now) }
    devices = try RecordTable(dated)
  }

  var data: JSONValue { devices.json }

  func isLong(_ call: Call) -> Bool { call.hasLongBody || devices.isLongToList(call) }

  func record(_ id: String) -> JSONValue? { devices.object(id).map(JSONValue.object) }

  mutating func apply(_ delta: Delta) throws(Delta.MismatchError) { try devices.apply(delta) }

  static func dependsOnTime(_ data: JSONValue) -> Bool { data.array?.contains(where: usesCurrentTime) ?? false }

  private static func usesCurrentTime(_ device: JSONValue) -> Bool { device["installationDate"] == "now" }

  /// Replaces `now` in the data by the time at which the state is made.
  private static func dated(_ device: JSONValue, _ now: Instant) -> JSONValue {
    guard usesCurrentTime(device), var object = device.object else { return device }
    object["installationDate"] = .string(Timestamp.seconds(now))
    return .object(object)
  }

  /// Checks every key before it looks up the device, like the real service; an `id` can only be compared after that.
  private mutating func patch(_ id: String, _ body: ArraySlice<UInt8>) throws(Problem) -> Response {
    let patch = try Problem.decode(body, as: .devicePatch)
    guard let index = devices.index(of: id) else { throw Self.unknown(id) }
    if let sent = patch["id"], sent != .string(id) {
      throw .invalid([
        ValidationError(.root / "id", "expected the device's own id, \(JSONValue.string(id).text): ids never change")
      ])
    }
    return Response(200, change: devices.update(at: index, with: patch.object?.members ?? []), content: patch)
  }

  private static func unknown(_ id: String) -> Problem {
    .unknownDevice(id)
  }
}
