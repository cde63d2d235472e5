import Contract
import Dashboard
import JSON

extension ControlService {
  static func getDashboard(_ command: Command) -> Response {
    command.made {
      let nonce = Nonce.text()
      return Response(
        200, Representation(DashboardFiles.page(nonce: nonce), .html),
        fields: [
          ResponseField(PagePolicy.fieldName, DashboardFiles.policy(nonce: nonce)),
          ResponseField("Referrer-Policy", "no-referrer"),
        ])
    }
  }

  /// Returns a room's picture for observers: a request to `/image/{room}` would take a client's place in the plan.
  static func getPicture(_ command: Command) throws(Problem) -> Response {
    let (name, store) = (command.call.arguments[0], command.sandbox.store)
    return command.made {
      let rooms = store.data(of: "booking")?["rooms"]?.array ?? []
      guard let room = rooms.first(where: { $0["name"]?.string == name }) else {
        return .problem(
          Problem(404, "unknown-room", "There is no such room", "The sandbox has no room of this name to show."))
      }
      return Response(200, RoomImage.png(name: name, isPortrait: room["portrait"]?.bool == true))
    }
  }
}

/// A random text that is used once, by which a page allows its own style and script (CSP Level 3, section 2.3.1).
enum Nonce {
  /// Returns 128 random bits as 32 hexadecimal digits.
  static func text() -> String {
    var random = SystemRandomNumberGenerator()
    return (0..<2).map { _ in
      let digits = String(random.next() as UInt64, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }
}
