/// The services of the catalogue, in the order of `API.all`.
enum Behaviours {
  static let all: [any Behaviour.Type] = [
    DeviceInventory.self, CallLog.self, House.self, UserDirectory.self, BookingDesk.self,
  ]
}
