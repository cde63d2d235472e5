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

  init(of exchange: borrowing Exchange, by operation: Contract.Operation) {
    let part = operation.effect.key.flatMap { RequestPart($0) }
    let parameter: String? = if case .parameter(let name) = part { name } else { nil }
    let path: [String] = if case .member(let path) = part { path } else { [] }
    query = ContentMeaning.pairs(
      exchange.request.query.map { exchange.request.bytes[$0] } ?? [], without: parameter)
    let body = exchange.request.bytes[exchange.request.body]
    let content = ContentMeaning(
      body, type: exchange.bytes(of: .contentType), coding: exchange.bytes(of: .contentEncoding),
      without: path.count == 1 ? path[0] : nil)
    json = content.json
    // Without a file of semantics a call may be a read, and then a new id is that of a new one.
    text =
      json.map { json in
        let unkeyed = json.removing(path[...])
        return (operation.effect.isAssumed ? unkeyed : unkeyed.withoutCallID).meaning
      } ?? content.text
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
          guard let named = Int(name), elements.indices.contains(named) else { return element.removing(path) }
          guard named == index else { return element }
          return path.count == 1 ? .null : element.removing(path.dropFirst())
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

  /// True for a call of JSON-RPC, and for a batch of them.
  var isCall: Bool {
    if case .array(let calls) = self { return calls.contains(where: \.isCall) }
    return self["jsonrpc"] == "2.0" && self["method"] != nil
  }

  /// The value without the ids of its calls of JSON-RPC.
  fileprivate var withoutCallID: JSONValue {
    if case .array(let calls) = self { return .array(calls.map(\.withoutCallID)) }
    return isCall ? removing(["id"]) : self
  }
}
