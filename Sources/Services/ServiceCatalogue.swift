/// The services of the catalogue, in the order of `API.all`.
enum ServiceCatalogue {
  static let all: [any Service.Type] = [
    DeviceInventory.self, CallLog.self, House.self, UserDirectory.self, BookingDesk.self,
  ]
}
