import Contract
import HTTP1
import JSON
import Primitives
import Services

extension Responder {
  /// Returns a response with its problem rendered as a body in the API's error shape.
  func rendered(_ response: Response, _ exchange: borrowing Exchange, _ shape: API.ErrorShape) -> Response {
    guard var problem = response.problem else { return response }
    if problem.kind == "malformed-json", let form = Self.form(in: exchange) { problem = .form(form) }
    var response = response
    response.representation = Self.representation(of: problem, instance: Self.instance(of: exchange.request), shape)
    response.problem = nil
    return response
  }

  static func representation(of problem: Problem, instance: String, _ shape: API.ErrorShape) -> Representation {
    let isEmpty = shape == .emptyObject && !problem.isOfServer
    return Representation(problem.document(instance: instance, shape), .compact, isEmpty ? .json : .problem)
  }

  /// Returns the path as the client sent it; the query may contain data that does not belong in an error message.
  private static func instance(of request: borrowing Request) -> String {
    guard request.path.isEmpty else { return request.text(request.path) }
    // The target is `*`, an authority, or no target at all.
    let target = request.text(request.target).split(separator: "?", maxSplits: 1).first
    return target.map(String.init) ?? "*"
  }

  /// Returns the media type of a body that is a form; nil for other bodies. Some clients label all bodies as forms, so
  /// the body must look like one.
  private static func form(in exchange: borrowing Exchange) -> String? {
    let field = exchange.text(of: .contentType)
    let mediaType = field?.split(separator: ";").first.map { String($0).trimmingBlanks.lowercased() }
    let body = exchange.request.bytes[exchange.request.body]
    switch mediaType {
    case "application/x-www-form-urlencoded" where body.contains(Byte.equals) && !body.starts(with: "{".utf8):
      return mediaType
    case "multipart/form-data": return mediaType
    default: return nil
    }
  }
}
