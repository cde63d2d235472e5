import Contract
import Testing

@testable import Conformance

@Suite("The routes for the checks of HTTP itself")
struct SampleRouteTests {
  private static let expected = [
    "devices": "/devices, PATCH /devices/WWM-0001-12", "activities": "/activities, POST /activities/7834",
    "house": "/rooms", "users": "/users, PATCH /users/1", "booking": "/rooms.json, POST /book",
  ]

  @Test(
    "are a read without arguments, and a write for which an empty object changes nothing",
    arguments: API.all.map(\.name))
  func areDerived(name: String) throws {
    let routes = SampleRoutes(try #require(API.all.first { $0.name == name }))
    let write = routes.write.map { ", \($0.method) \($0.path)" } ?? ""
    #expect(routes.path + write == Self.expected[name])
    #expect(routes.write.map { $0.body == "{}" } ?? true)
  }
}
