import Contract
import Foundation

extension BackendClient {
  /// The devices of a building (source: `GET /devices`, `GET` and `PATCH /devices/{id}`).
  public var devices: DeviceCalls { DeviceCalls(client: self) }
}

/// Calls to the devices API.
public struct DeviceCalls: Sendable {
  let client: BackendClient

  /// All devices, in the server's order.
  public func list() async throws(RequestError) -> [Device] {
    try await client.perform(listing()).value
  }

  /// One device. The original service does not know this call, and answers 400.
  public func get(_ id: String) async throws(RequestError) -> Device {
    try await client.perform(reading(id)).value
  }

  /// Writes the given values over a device's. They are absolute, so a lost reply is followed by another try.
  ///
  /// - Parameters:
  ///   - id: The device.
  ///   - change: The values; what is nil stays as it is.
  ///   - etag: If given, the write is done only while the device still has this entity tag.
  /// - Throws: `.rejected` with 404 for an unknown device, 400 for a bad value, 412 for another entity tag.
  public func update(_ id: String, with change: DeviceChange, ifMatch etag: String? = nil) async throws(RequestError) {
    _ = try await client.perform(try patching(id, change, ifMatch: etag, repeatability: .always))
  }

  func listing() -> Call<[Device]> {
    Call("listDevices", of: .devices, at: client.endpoints.devices) { try $0.decoded() }
  }

  func reading(_ id: String) -> Call<Device> {
    Call("getDevice", of: .devices, at: client.endpoints.devices, arguments: [id]) { response in
      let device: Device = try response.decoded()
      guard device.id == id else { throw UnreadableBody("It is the device \(device.id) and not \(id).") }
      return device
    }
  }

  func patching(
    _ id: String, _ change: DeviceChange, ifMatch etag: String?, repeatability: Repeatability
  ) throws(RequestError) -> Call<Void> {
    // A log-in page is a success with a body; the real answer has none.
    var call = Call<Void>(
      "patchDevice", of: .devices, at: client.endpoints.devices, arguments: [id], repeatability: repeatability
    ) { response in
      guard response.body.isEmpty else { throw UnreadableBody("A write is answered with an empty body.") }
    }
    call.headers["If-Match"] = etag
    call.body = try JSONBody.encode(change)
    return call
  }
}
