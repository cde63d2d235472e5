import Contract
import Dashboard
import JSON

extension ControlBehaviour {
  static func getDashboard(_ command: Command) -> Reply {
    var die = SystemRandomNumberGenerator()
    let nonce = (0..<2).map { _ in String(die.next(), radix: 36) }.joined()
    return Reply(
      200, Representation(Dashboard.page(nonce: nonce), .html),
      fields: [
        ReplyField("Content-Security-Policy", Dashboard.policy(nonce: nonce)),
        ReplyField("Referrer-Policy", "no-referrer"),
        ReplyField("X-Content-Type-Options", "nosniff"),
      ])
  }

  /// A room's picture for those who only watch: asking for `/image/{room}` would use up a fate that is a client's.
  static func getPicture(_ command: Command) throws(Problem) -> Reply {
    let name = command.call.arguments[0]
    let rooms = command.sandbox.store.data(of: "booking")?["rooms"]?.array ?? []
    guard let room = rooms.first(where: { $0["name"]?.string == name }) else {
      throw Problem(404, "unknown-room", "There is no such room", "The sandbox has no room of this name to show.")
    }
    return Reply(200, RoomImage.png(name: name, isPortrait: room["portrait"]?.bool == true))
  }
}
