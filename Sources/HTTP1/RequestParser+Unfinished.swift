extension RequestParser {
  /// The request under way as far as it has been read, without content; nil until its method is known.
  ///
  /// A target that is cut short loses its last segment in `path`, since that may be the beginning of another name.
  package var unfinished: Request? {
    guard phase == .head || phase == .body, !line.method.isEmpty else { return nil }
    let isTargetWhole = !line.target.isEmpty
    let target = isTargetWhole ? line.target : line.target.lowerBound..<max(position, line.target.lowerBound)
    let method = Method(buffer.span, line.method)
    let parsed = isTargetWhole ? head.target ?? (try? RequestTarget(line, buffer.span, method: method)) : nil
    let fields = hasReadLine ? self.fields.fields : []
    let end = endOfHead
    var bytes = [UInt8](buffer[..<end])
    // A head that is cut short ends like a whole one, behind its last whole line.
    if phase == .head { bytes += [Byte.carriageReturn, Byte.lineFeed] }
    return Request(
      bytes: bytes, head: line.start..<bytes.count, method: line.method, knownMethod: method, target: target,
      targetForm: parsed?.form ?? .origin, path: parsed?.path ?? path(in: target, isWhole: isTargetWhole),
      query: parsed?.query, version: line.version, host: host(in: fields, parsed), fields: fields, body: 0..<0,
      trailers: [], persists: false)
  }

  /// The path in a target that cannot be parsed; empty where there is none.
  private func path(in target: Range<Int>, isWhole: Bool) -> Range<Int> {
    let path = target.lowerBound..<(line.question ?? target.upperBound)
    guard let first = path.first, buffer[first] == Byte.slash else { return target.lowerBound..<target.lowerBound }
    let last = isWhole ? nil : path.last { buffer[$0] == Byte.slash }
    return path.lowerBound..<(last ?? path.upperBound)
  }

  /// The only `Host` of a head that may be cut short, or the one in its target.
  private func host(in fields: [Field], _ target: RequestTarget?) -> Range<Int>? {
    if case .absolute(let authority) = target?.form { return authority }
    let hosts = fields.filter { $0.known == .host }
    guard hosts.count == 1, Authority(buffer.span, hosts[0].value) != nil else { return nil }
    return hosts[0].value
  }

  /// Where the whole lines of the head end, or where the bytes of a line without a field end.
  private var endOfHead: Int {
    guard hasReadLine else { return position }
    if phase == .body { return head.end }
    guard let last = fields.fields.last else { return position }
    return (buffer[last.value.upperBound...].firstIndex(of: Byte.lineFeed) ?? position - 1) + 1
  }
}
