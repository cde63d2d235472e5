import Primitives

extension RequestParser {
  /// The unfinished request, as far as it has been read, without content; nil until its method is known.
  ///
  /// In `path`, an incomplete target ends before its last segment, because that segment may be only the beginning of a
  /// name.
  package var unfinished: Request? {
    guard phase == .head || phase == .body, !line.method.isEmpty else { return nil }
    let isTargetWhole = !line.target.isEmpty
    let target = isTargetWhole ? line.target : line.target.lowerBound..<max(position, line.target.lowerBound)
    let parsed = isTargetWhole ? head.target ?? (try? RequestTarget(line, buffer.span)) : nil
    let fields = hasReadLine ? section.scanner.fields : []
    let names = hasReadLine ? section.scanner.names : []
    let end = endOfHead
    var bytes = [UInt8](buffer[..<end])
    // An incomplete head is ended like a complete one, after its last complete line.
    if phase == .head { bytes += [Byte.carriageReturn, Byte.lineFeed] }
    return Request(
      bytes: bytes, head: line.start..<bytes.count, method: line.method, knownMethod: line.knownMethod, target: target,
      targetForm: parsed?.form ?? .origin, path: parsed?.path ?? path(in: target, isWhole: isTargetWhole),
      query: parsed?.query, version: line.version, host: host(in: fields, parsed), fields: fields,
      section: hasReadLine ? sectionNumber : 0, knownFields: names, body: 0..<0, isPartial: false,
      trailers: [], persists: false)
  }

  /// Returns the path in a target that cannot be parsed; empty if there is none.
  private func path(in target: Range<Int>, isWhole: Bool) -> Range<Int> {
    let path = target.lowerBound..<(line.question ?? target.upperBound)
    guard let first = path.first, buffer[first] == Byte.slash else { return target.lowerBound..<target.lowerBound }
    let last = isWhole ? nil : path.last { buffer[$0] == Byte.slash }
    return path.lowerBound..<(last ?? path.upperBound)
  }

  /// Returns the only `Host` of a head that may be incomplete, or the host in its target.
  private func host(in fields: [Field], _ target: RequestTarget?) -> Range<Int>? {
    if case .absolute(let authority) = target?.form { return authority }
    let hosts = fields.filter { $0.known == .host }
    guard hosts.count == 1, Authority(buffer.span, hosts[0].value) != nil else { return nil }
    return hosts[0].value
  }

  /// The end of the last complete line of the head; before the first complete field line, the end of the bytes read so
  /// far.
  private var endOfHead: Int {
    guard hasReadLine else { return position }
    if phase == .body { return head.end }
    guard let last = section.scanner.fields.last else { return position }
    return (buffer[last.value.upperBound...].firstIndex(of: Byte.lineFeed) ?? position - 1) + 1
  }
}
