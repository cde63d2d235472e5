import Contract
import JSON
import Seeds

/// The behaviour of the devices API.
enum DeviceInventory: Service {
  static let contract = API.devices
  static let seed = SeedFiles.devices

  static let handlers = Handlers(
    of: contract,
    .on("listDevices") { devices, _ in Response(200, devices.list()) },
    .on("getDevice") { devices, call in
      guard let device = devices.representation(of: call.arguments[0]) else {
        return .problem(.unknownDevice(call.arguments[0]))
      }
      return Response(200, device)
    },
    .on("patchDevice") { devices, call in
      do throws(Problem) {
        return try patch(call.arguments[0], call.body, of: &devices)
      } catch {
        return .problem(error)
      }
    },
  )

  /// Replaces `now` in the data by the time at which the state is made.
  static func data(_ data: JSONValue, at now: Instant) -> JSONValue {
    guard let devices = data.array, devices.contains(where: usesCurrentTime) else { return data }
    return .array(
      devices.map { device in
        guard usesCurrentTime(device), var object = device.object else { return device }
        object["installationDate"] = .string(Timestamp.seconds(now))
        return .object(object)
      })
  }

  private static func usesCurrentTime(_ device: JSONValue) -> Bool { device["installationDate"] == "now" }

  /// Checks every key before it looks up the device, like the real service; an `id` can only be compared after that.
  private static func patch(
    _ id: String, _ body: ArraySlice<UInt8>, of devices: inout Document
  ) throws(Problem) -> Response {
    let patch = try Problem.decode(body, as: .devicePatch)
    guard let index = devices.index(of: id) else { throw .unknownDevice(id) }
    if let sent = patch["id"], sent != .string(id) {
      throw .invalid([
        ValidationError(.root / "id", "expected the device's own id, \(JSONValue.string(id).text): ids never change")
      ])
    }
    let isChanged = devices.update(at: index, with: patch.object?.members ?? [])
    return Response(200, changed: isChanged, content: patch)
  }
}
