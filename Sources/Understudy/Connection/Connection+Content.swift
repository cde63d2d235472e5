import HTTP1
import Primitives
import Services

/// Content of a request that comes in parts, and the bytes of another protocol.
extension Connection {
  /// Begins the exchange of a request whose content comes in parts.
  mutating func startWithPart(at now: ClockReading) {
    let request = http.takePart()
    let rest = ContentPipe()
    var hash =
      if let type = request.first(.contentType) { ContentHash(type: request.bytes[type.value]) } else { ContentHash() }
    hash.add(request.bytes[request.body])
    rest.hash = hash
    upload = rest
    start(request, rest: rest, at: now)
    passContentOn(at: now)
  }

  /// Begins another protocol, after the head of the response that says so.
  mutating func beginTunnel(_ pipe: ContentPipe, at now: ClockReading) {
    upload = pipe
    http.beginTunnel()
    passContentOn(at: now)
  }

  /// Passes on what has come of content, as far as there is room.
  mutating func passContentOn(at now: ClockReading) {
    guard let upload else { return }
    while true {
      switch http.nextContent() {
      case .part(let bytes): upload.append(bytes)
      case .needsMore:
        http.acceptsContent = upload.hasRoom
        return
      case .end: return upload.finish(.complete)
      case .rejected: return disconnect(at: now)
      }
    }
  }

  /// Accepts more content: there is room again.
  mutating func acceptContent() { http.acceptsContent = upload?.hasRoom ?? true }
}
