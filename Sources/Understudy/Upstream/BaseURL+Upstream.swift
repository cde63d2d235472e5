import HTTP1
import Platform

/// The URL of an upstream.
extension BaseURL {
  /// True if the host is this machine's loopback by its name.
  var isLoopback: Bool { HostField(authority.utf8).isLoopback }

  /// Throws if no connection can be made to the address, because this server does not encrypt.
  func refuseEncryption() throws(Defect) {
    guard isEncrypted else { return }
    let target = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    throw Defect(
      description:
        "\(text): this server does not encrypt. Put a TLS client in between: python3 docker/tls.py --connect "
        + "\(target), and set its http address here with --upstream-host https://\(authority); socat, stunnel and "
        + "kubectl port-forward work as well.")
  }

  /// The reason for which no connection can be made; nil if one of its addresses accepts one within a second.
  var obstacle: String? {
    let addresses = SocketAddress.resolve(host, port: port)
    guard !addresses.isEmpty else { return "the name \(host) does not resolve to an address yet" }
    let socket = try? ClientSocket.connected(toFirstOf: addresses, until: .now + .seconds(1))
    return socket == nil ? "\(text) accepts no connections yet" : nil
  }
}
