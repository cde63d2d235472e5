import Contract
import Faults
import HTTP1
import JSON
import Primitives
import Services

/// The meaning of a write to a backend, without the parts that name an attempt: the key that a file of semantics declares, and
/// the `id` of a call of JSON-RPC (JSON-RPC 2.0 section 4), which clients make anew with each.
struct WrittenContent {
  /// The meaning of the query.
  let query: [UInt8]
  /// The meaning of the content.
  let text: [UInt8]
  /// The whole content, if it is JSON.
  let json: JSONValue?

  init(of exchange: borrowing Exchange, keyed key: String?) {
    let part = key.flatMap { RequestPart($0) }
    let parameter: String? = if case .parameter(let name) = part { name } else { nil }
    let path: [String] = if case .member(let path) = part { path } else { [] }
    query = ContentMeaning.pairs(
      exchange.request.query.map { exchange.request.bytes[$0] } ?? [], without: parameter)
    let body = exchange.request.bytes[exchange.request.body]
    let content = ContentMeaning(
      body, type: exchange.bytes(of: .contentType), coding: exchange.bytes(of: .contentEncoding),
      without: path.count == 1 ? path[0] : nil)
    json = content.json
    text = json.map { $0.removing(path[...]).withoutCallID.meaning } ?? content.text
  }
}

extension JSONValue {
  /// The value without the member at a path; of a list, each element is without it.
  fileprivate func removing(_ path: ArraySlice<String>) -> JSONValue {
    guard let name = path.first else { return self }
    switch self {
    case .array(let elements):
      return .array(
        elements.enumerated().map { index, element in
          Int(name).map(elements.indices.contains) == true
            ? "\(index)" == name ? element.removing(path.dropFirst()) : element : element.removing(path)
        })
    case .object(let object):
      return .object(
        JSONValue.Object(
          object.members.compactMap { member in
            guard member.name == name else { return member }
            return path.count == 1 ? nil : JSONValue.Member(name, member.value.removing(path.dropFirst()))
          }))
    default: return self
    }
  }

  /// The value without the ids of its calls of JSON-RPC.
  fileprivate var withoutCallID: JSONValue {
    if case .array(let calls) = self { return .array(calls.map(\.withoutCallID)) }
    return self["jsonrpc"]?.string != nil && self["method"] != nil ? removing(["id"]) : self
  }
}
