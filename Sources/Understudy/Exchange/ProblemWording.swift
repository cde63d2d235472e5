import Contract
import HTTP1
import JSON

extension Responder {
  /// Gives a reply that states a problem its body, in the shape that the API's clients can read.
  func worded(_ reply: Reply, _ exchange: Exchange, _ shape: API.ErrorShape) -> Reply {
    guard let problem = reply.problem else { return reply }
    var reply = reply
    reply.representation = Self.representation(
      of: problem, instance: Self.instance(exchange), shape, after: reply.leading)
    reply.problem = nil
    return reply
  }

  static func representation(
    of problem: Problem, instance: String, _ shape: API.ErrorShape, after leading: [JSON.Member] = []
  ) -> Representation {
    var members = JSON.Object(leading + problem.members(instance: instance).members)
    switch shape {
    case .problem: break
    case .problemWithMessage: members["message"] = .string(problem.detail)
    case .emptyObject: return Representation(.object(JSON.Object()), .compact, .json)
    }
    return Representation(.object(members), .compact, .problem)
  }

  /// The path as the client sent it; its query may hold what does not belong in an error message.
  private static func instance(_ exchange: Exchange) -> String {
    exchange.request.text(exchange.request.path)
  }
}
