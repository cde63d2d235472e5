import Foundation
import LiveTesting

/// A proxy that forwards everything to a server, except for the changes of its mutant.
///
/// The defects belong to the proxy, so the server needs no hooks for them.
final class Proxy: Sendable {
  private let listener: BoundListener

  var url: String { "http://127.0.0.1:\(listener.port)" }

  init(before upstream: Int, _ mutant: Mutant) throws {
    listener = try BoundListener()
    listener.serve { ProxiedConnection(client: $0, upstream: upstream, mutant: mutant)?.run() }
  }

  deinit { listener.shut() }
}

/// One client's connection and the server's for it.
private final class ProxiedConnection {
  private let client: Link
  private let server: Link
  private let mutant: Mutant
  /// True if the server's own response was announced as the last.
  private var serverCloses = false

  init?(client: Link, upstream: Int, mutant: Mutant) {
    guard let server = Link(to: upstream) else { return nil }
    self.client = client
    self.server = server
    self.mutant = mutant
  }

  /// Forwards well-formed messages one after another; other bytes are forwarded unchanged.
  func run() {
    while true {
      var length = 0
      guard !client.received.isEmpty || client.receive() else { return }
      if let request = Message(client.received, length: &length) {
        guard isPlain(request) else { return tunnel() }
        if mutant.swapsPipelined, let second = secondRequest(behind: length) {
          let first = answer(request, length)
          let next = answer(second.message, second.length)
          client.send(next.bytes + first.bytes)
        } else {
          client.send(answer(request, length).bytes)
        }
        if mutant.closesAfterAnswer || serverCloses || isLast(request) { return finish() }
      } else if isMalformed(client.received) {
        return tunnel()
      } else if !client.receive() {
        return tunnel()
      }
    }
  }

  private func isLast(_ request: Message) -> Bool {
    let connection = request["Connection"]?.lowercased() ?? ""
    return connection.contains("close") || (request.startLine.hasSuffix("1.0") && connection != "keep-alive")
  }

  private func secondRequest(behind length: Int) -> (message: Message, length: Int)? {
    var second = 0
    let rest = Array(client.received.dropFirst(length))
    return Message(rest, length: &second).map { ($0, second) }
  }

  private func answer(_ request: Message, _ length: Int) -> Message {
    client.drop(length)
    return mutant.answer(request) { self.forward($0) }
  }

  private func forward(_ request: Message) -> Message {
    server.send(request.bytes)
    while true {
      var length = 0
      if let answer = Message(server.received, isToHead: request.method == "HEAD", length: &length) {
        server.drop(length)
        serverCloses = serverCloses || answer["Connection"] == "close"
        return answer
      }
      guard server.receive() else { return Message("HTTP/1.1 502 Bad Gateway") }
    }
  }

  /// Returns true if the proxy can parse the request and write it again unchanged.
  private func isPlain(_ request: Message) -> Bool {
    let words = request.startLine.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 3, words[2].hasPrefix("HTTP/1."), request["Host"] != nil || words[2] == "HTTP/1.0" else {
      return false
    }
    let lengths = request.fields.filter { $0.name.lowercased() == "content-length" }
    let names = request.fields.map(\.name)
    let isOdd = request["Transfer-Encoding"] != nil || request["Expect"] != nil || lengths.count > 1
    let isBroken =
      names.contains { $0.isEmpty || $0.contains(" ") } || lengths.contains { Int($0.value)?.description != $0.value }
    return !isOdd && !isBroken && request.path.utf8.count < 8_000 && request["Accept"] != "text/event-stream"
      && !request.path.hasSuffix("/stream")
  }

  /// Returns true if there is a head whose body will not arrive as announced.
  private func isMalformed(_ bytes: [UInt8]) -> Bool {
    guard bytes.firstRange(of: Array("\r\n\r\n".utf8)) != nil else { return bytes.count > 16_000 }
    let head = String(decoding: bytes.prefix(4_096), as: UTF8.self).lowercased()
    return head.contains("expect:") || head.contains("transfer-encoding:") || head.contains("content-length: 9")
  }

  /// Passes bytes on in both directions until either side ends; framing errors are the server's to judge.
  private func tunnel() {
    if let response = mutant.answerToNonsense {
      client.send(Array(response.utf8))
      return
    }
    pass(client, to: server)
    if client.hasEnded { server.finishWriting() }
    var open = client.hasEnded ? [server] : [client, server]
    while open.contains(where: { $0 === server }) {
      let ready = Link.ready(open)
      if ready.isEmpty { return }
      for link in ready {
        let other = link === client ? server : client
        if link.receive() {
          pass(link, to: other)
        } else {
          other.finishWriting()
          open.removeAll { $0 === link }
        }
      }
    }
  }

  private func pass(_ link: Link, to other: Link) {
    let bytes = link.received
    link.drop(bytes.count)
    other.send(bytes)
  }

  /// Closes correctly: FIN first, and no RST for bytes that are still arriving.
  private func finish() {
    client.finishWriting()
    while client.receive() { client.drop(client.received.count) }
  }
}
