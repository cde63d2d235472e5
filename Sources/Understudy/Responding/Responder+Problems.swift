import Contract
import HTTP1
import JSON
import Services

extension Responder {
  /// Returns a response with its problem rendered as a body in the API's error shape.
  func rendered(_ response: Response, _ exchange: borrowing Exchange, _ shape: API.ErrorShape) -> Response {
    guard let problem = response.problem else { return response }
    var response = response
    response.representation = Self.representation(of: problem, instance: Self.instance(exchange), shape)
    response.problem = nil
    return response
  }

  static func representation(of problem: Problem, instance: String, _ shape: API.ErrorShape) -> Representation {
    let isEmpty = shape == .emptyObject && !problem.isOfServer
    return Representation(problem.document(instance: instance, shape), .compact, isEmpty ? .json : .problem)
  }

  /// Returns the path as the client sent it; the query may contain data that does not belong in an error message.
  private static func instance(_ exchange: borrowing Exchange) -> String {
    exchange.request.text(exchange.request.path)
  }
}
