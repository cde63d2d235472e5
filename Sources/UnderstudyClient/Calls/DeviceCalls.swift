import Contract
import Foundation

extension BackendClient {
  /// The devices of a building (source: `GET /devices`, `GET` and `PATCH /devices/{id}`).
  public var devices: DeviceCalls { DeviceCalls(client: self) }
}

/// The operations of the devices API.
public struct DeviceCalls: Sendable {
  let client: BackendClient

  /// Returns all devices, in the server's order.
  public func list() async throws -> [Device] {
    try await client.value(of: listing())
  }

  /// Returns one device. The original service does not support this request, and returns 400.
  public func get(_ id: String) async throws -> Device {
    try await client.value(of: reading(id))
  }

  /// Sets the given values of a device. They are absolute, so the request is retried after a lost response.
  ///
  /// - Parameters:
  ///   - id: The device.
  ///   - change: The values; those that are nil do not change.
  ///   - etag: If given, the device is written only if it still has this entity tag.
  /// - Throws: `.rejected` with 404 for an unknown device, 400 for an invalid value, 412 for another entity tag; `.unknown`
  ///   if the response to an earlier attempt was lost, because that attempt may have changed the tag.
  public func update(_ id: String, with change: DeviceChange, ifMatch etag: String? = nil) async throws {
    try await client.value(of: patching(id, change, ifMatch: etag, repeatability: .always))
  }

  func listing() -> Call<[Device]> {
    Call("listDevices", of: .devices, at: client.endpoints.devices) { try $0.decoded() }
  }

  func reading(_ id: String) -> Call<Device> {
    Call("getDevice", of: .devices, at: client.endpoints.devices, arguments: [id]) { response in
      let device: Device = try response.decoded()
      guard device.id == id else { throw UnreadableBody("The response has the device \(device.id) instead of \(id).") }
      return device
    }
  }

  func patching(
    _ id: String, _ change: DeviceChange, ifMatch etag: String?, repeatability: Repeatability
  ) throws(RequestError) -> Call<Void> {
    // The real response has no body; a log-in page of a captive network would be a success with a body.
    var call = Call<Void>(
      "patchDevice", of: .devices, at: client.endpoints.devices, arguments: [id], repeatability: repeatability
    ) { response in
      guard response.body.isEmpty else { throw UnreadableBody("The body of a write's response must be empty.") }
    }
    call.headers["If-Match"] = etag
    call.body = try JSONBody.encode(change)
    return call
  }
}
