import JSON
import Primitives

extension API {
  /// The installer's app: the meters and heat cost allocators of a building, and their installation dates.
  package static let devices = API(
    name: "devices",
    title: "Devices",
    about: "The meters of a building. An installer records the date at which each one was installed.",
    hosts: ["comgy.io"],
    operations: [listDevices, getDevice, patchDevice],
    data: .deviceData)

  private static let listDevices = Operation(
    "listDevices", .get, "/devices",
    caching: .tagged(.strong), effect: .readsAll,
    documentation: .init(
      summary: "All devices",
      about: "The order is that of the data. A device that is not installed yet has `installationDate: null`.",
      responses: [
        .json(
          "All devices.", .array(of: .device),
          examples: [JSONExample("two", "One device to install, one installed", [.kitchenMeter, .hallwayAllocator])],
          fields: [.etag]),
        .notModified(),
        .preconditionFailed(),
      ]))

  private static let getDevice = Operation(
    "getDevice", .get, "/devices/{id}",
    caching: .tagged(.strong), effect: .reads(.path),
    documentation: .init(
      summary: "One device",
      parameters: [deviceID],
      responses: [
        .json(
          "The device.", .device, examples: [JSONExample("waiting", "Not installed yet", .kitchenMeter)],
          fields: [.etag]),
        .notModified(),
        .problem(.unknownDevice("WWM-0001-13"), "No device has this id."),
        .preconditionFailed(),
      ]))

  private static let patchDevice = Operation(
    "patchDevice", .patch, "/devices/{id}",
    semantics: .changesState(), effect: .sets(.path),
    documentation: .init(
      summary: "Change a device",
      about: """
        Sets the keys in the body and returns an empty body. All keys are checked first; if one is invalid, nothing is \
        written. A date is stored as it was sent. The body may have the device's own `id`, but no other: ids never \
        change. The body is read as JSON, whatever `Content-Type` says.
        """,
      parameters: [deviceID],
      body: RequestBody(
        .devicePatch,
        examples: [
          JSONExample(
            "installed", "The request of the installer's app",
            ["id": "WWM-0001-12", "installationDate": "2023-07-05T15:13:34Z"]),
          JSONExample("cleared", "Remove the date", ["installationDate": nil]),
        ]),
      responses: [
        DeclaredResponse(200, "The device was changed, or the request changes nothing. The body is empty."),
        .problem(
          .refusal(of: ["type": "steam"], by: .devicePatch),
          "The body is missing, is not a JSON object, or has an unknown key or an invalid value."),
        .problem(.unknownDevice("WWM-0001-13"), "No device has this id."),
        .preconditionFailed(),
      ]))

  private static let deviceID = Parameter(
    "id", in: .path, "The id of the device.", schema: .string(minimumLength: 1),
    example: JSONExample("meter", "WWM-0001-12"))
}

extension Schema {
  private static let deviceType = Schema.string(choices: ["warm_water", "cold_water", "heating"])
  private static let installationDate = Schema.string(format: .internetDateTime)

  private static func device(installationDate: Schema) -> Schema {
    .object([
      Property("id", .string(minimumLength: 1)),
      Property("type", deviceType),
      Property("meterPointDescription", .string(minimumLength: 1)),
      Property("installationDate", installationDate),
    ])
  }

  static let device = device(installationDate: installationDate.orNull).named("Device")

  package static let devicePatch = Schema.object([
    .optional("id", .string(minimumLength: 1)),
    .optional("type", deviceType),
    .optional("meterPointDescription", .string(minimumLength: 1)),
    .optional("installationDate", installationDate.orNull),
  ]).named("DevicePatch")

  /// A date in the data may be `"now"`: the time at which the state is made.
  static let deviceData = Schema.array(
    of: device(
      installationDate: .string(format: .internetDateTimeOrNow).orNull
        .described("`now` is the time at which the state is made."))
  ).named("DeviceData")
}

extension JSONValue {
  fileprivate static let kitchenMeter: JSONValue = [
    "id": "WWM-0001-12", "type": "warm_water", "meterPointDescription": "Kitchen", "installationDate": nil,
  ]
  fileprivate static let hallwayAllocator: JSONValue = [
    "id": "HEA-5513-39", "type": "heating", "meterPointDescription": "Hallway",
    "installationDate": "2023-06-22T15:13:34Z",
  ]
}
