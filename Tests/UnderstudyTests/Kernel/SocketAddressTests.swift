import LiveTesting
import Platform
import Testing

@testable import Understudy

@Suite("The address of a socket", .live)
struct SocketAddressTests {
  private static let hosts = ["127.0.0.1", "127.0.0.2", "0.0.0.0", "::1", "::", "::ffff:127.0.0.1", "::ffff:0.0.0.0"]

  @Test("reaches a listener exactly if the system makes the connection", arguments: hosts)
  func reaches(host: String) throws {
    let listeners: [Listener]
    do {
      listeners = try Listener.all(host: host, port: 0)
    } catch {
      // Not every system has all of 127.0.0.0/8, or IPv6.
      try #require(host != "127.0.0.1" && host != "0.0.0.0", "\(error)")
      return
    }
    let listener = try #require(listeners.first)
    let address = try #require(try Listener.addresses(of: host).first)
    for target in Self.hosts {
      let found = try #require(SocketAddress.resolve(target, port: listener.port).first)
      let client = try? ClientSocket.connected(toFirstOf: [found], until: .now + Patience.limit)
      // Another program may listen at the same port of another address.
      let isAccepted = if case .connection = listener.accept() { client != nil } else { false }
      #expect(found.reaches(address) == isAccepted, "\(target) to \(host)")
    }
  }
}
