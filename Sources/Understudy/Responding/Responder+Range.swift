import Contract
import HTTP1
import Services

extension Responder {
  /// Returns the part of a response that the request asks for, after all its preconditions hold (RFC 9110 section 14.2).
  func ranged(_ response: Response, of exchange: borrowing Exchange, _ operation: Contract.Operation) -> Response {
    guard operation.semantics.servesRanges, response.status == 200, let whole = response.representation else {
      return response
    }
    var response = response
    response.fields.append(ResponseField("Accept-Ranges", "bytes"))
    // Range is defined for GET only.
    guard !exchange.isHead, exchange.first(.range) != nil,
      isUnchanged(exchange.request, tag(of: response, operation))
    else { return response }
    let text = exchange.request.values(of: .range).map { exchange.request.text($0) }.joined(separator: ", ")
    switch ByteRange(parsing: text, of: whole.bytes.count) {
    case .whole: break
    case .part(let range):
      response.status = 206
      response.representation = Representation(Array(whole.bytes[range]), whole.mediaType, tag: whole.tag)
      response.fields.append(
        ResponseField(
          "Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(whole.bytes.count)"))
    case .unsatisfiable:
      response = .problem(.rangeNotSatisfiable(text, of: whole.bytes.count))
      response.fields = [ResponseField("Content-Range", "bytes */\(whole.bytes.count)")]
    }
    return response
  }

  /// Returns true unless `If-Range` names another representation than the current one. Its comparison is strong, and a
  /// date matches nothing, because no response has `Last-Modified` (RFC 9110 section 13.1.5).
  private func isUnchanged(_ request: borrowing Request, _ current: EntityTag?) -> Bool {
    guard let condition = request.first(.ifRange) else { return true }
    guard let current, !current.isWeak else { return false }
    return request.text(condition.value).trimmingBlanks == current.text
  }
}
