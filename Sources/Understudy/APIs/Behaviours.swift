/// The acting half of the catalogue, in the order of `API.all`.
package enum Behaviours {
  package static let all: [any Behaviour.Type] = [
    DeviceInventory.self, CallLog.self, House.self, UserDirectory.self, BookingDesk.self,
  ]
}
