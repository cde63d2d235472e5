import Contract
import Dashboard
import Faults
import JSON
import Primitives
import Services

extension ControlService {
  static func getDashboard(_ command: Command) -> Performance {
    .rendering(.loop, as: RenderingKey("dashboard")) {
      let isUpstream = command.application.upstream != nil
      return {
        let changingReads = Scenarios.operations.filter { $0.method == Method.get.rawValue && $0.changes != false }
        let page = WebPage.dashboard(
          faults: Effect.Kind.faults.map(\.name), apis: isUpstream ? [] : API.all.map { ($0.name, $0.title) },
          changingReads: isUpstream ? [] : changingReads.map { ($0.api, $0.path) })
        return Response(
          200, Representation(Array(page.html.utf8), .html),
          fields: [
            ResponseField(PagePolicy.fieldName, page.policy),
            ResponseField("Referrer-Policy", "no-referrer"),
          ])
      }
    }
  }

  /// Returns a room's picture for observers: a request to `/image/{room}` would be counted, and change the plans of the
  /// client's requests.
  static func getPicture(_ command: Command) -> Performance {
    let name = command.call.arguments[0]
    guard let room = command.sandbox.state.store.record(name, of: "booking") else {
      return .response(.problem(.unknownRoom(name)))
    }
    return .response(Response(200, RoomPicture.picture(of: name, isPortrait: room["portrait"]?.bool == true)))
  }
}
