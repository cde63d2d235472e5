import Contract
import HTTP1
import JSON

extension Responder {
  /// Gives a reply that states a problem its body, in the shape that the API's clients can read.
  func worded(_ reply: Reply, _ exchange: borrowing Exchange, _ shape: API.ErrorShape) -> Reply {
    guard let problem = reply.problem else { return reply }
    var reply = reply
    reply.representation = Self.representation(of: problem, instance: Self.instance(exchange), shape)
    reply.problem = nil
    return reply
  }

  static func representation(of problem: Problem, instance: String, _ shape: API.ErrorShape) -> Representation {
    let isEmpty = shape == .emptyObject && !problem.isOfServer
    return Representation(problem.document(instance: instance, shape), .compact, isEmpty ? .json : .problem)
  }

  /// The path as the client sent it; its query may hold what does not belong in an error message.
  private static func instance(_ exchange: borrowing Exchange) -> String {
    exchange.request.text(exchange.request.path)
  }
}
