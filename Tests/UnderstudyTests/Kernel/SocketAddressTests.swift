import LiveTesting
import Platform
import Testing

@testable import Understudy

@Suite("The address of a socket", .live)
struct SocketAddressTests {
  #if canImport(Darwin)
    private static let hosts = ["127.0.0.1", "0.0.0.0"]
  #else
    // All of 127.0.0.0/8 is this machine.
    private static let hosts = ["127.0.0.1", "127.0.0.2", "0.0.0.0"]
  #endif
  private static let hostsOfIPv6 = ["::1", "::", "::ffff:127.0.0.1", "::ffff:0.0.0.0"]

  @Test("reaches a listener exactly if the system makes the connection", arguments: hosts)
  func reaches(host: String) throws { try Self.compare(host) }

  @Test(
    "reaches a listener at an address of IPv6 exactly if the system makes the connection",
    .enabled(if: WireConnection.hasV6), arguments: hostsOfIPv6)
  func reachesOfIPv6(host: String) throws { try Self.compare(host) }

  /// Compares what is said of a listener at a host with what the system does.
  private static func compare(_ host: String) throws {
    let listener = try #require(try Listener.all(host: host, port: 0).first)
    let address = try #require(try Listener.addresses(of: host).first)
    for target in hosts + (WireConnection.hasV6 ? hostsOfIPv6 : []) {
      let found = try #require(SocketAddress.resolve(target, port: listener.port).first)
      let client = try? ClientSocket.connected(toFirstOf: [found], until: .now + Patience.limit)
      // Another program may listen at the same port of another address.
      let isAccepted = if case .connection = listener.accept() { client != nil } else { false }
      #expect(found.reaches(address) == isAccepted, "\(target) to \(host)")
    }
  }
}
