import Contract
import Faults
import HTTP1
package import JSON
import Platform
import Primitives

extension MockServer.Options {
  /// Returns the requests to which the scenario is to apply, or throws for options of an upstream that are invalid.
  package func scenarioTarget() throws(StartError) -> Scenarios.Target {
    try upstreamConfiguration().map { Scenarios.Target.upstream($0.semantics) } ?? .apis
  }

  /// Returns the configuration of an upstream to which connections are made; nil if the server serves the five APIs.
  func reachableUpstream() throws(StartError) -> Upstream.Configuration? {
    let configuration = try upstreamConfiguration()
    do throws(BaseURL.Defect) {
      try configuration?.address.refuseEncryption()
    } catch {
      throw .badOptions("upstream \(error.description)")
    }
    return configuration
  }

  /// Returns the configuration of the upstream; nil if the server serves the five APIs. A command that sends the upstream
  /// nothing accepts one with https, too.
  func upstreamConfiguration() throws(StartError) -> Upstream.Configuration? {
    guard let upstream else {
      let standard = MockServer.Options()
      let given = [
        ("upstreamHost", upstreamHost != nil), ("allowedHosts", !allowedHosts.isEmpty),
        ("semanticsFile", semanticsFile != nil),
        ("upstreamTimeout", upstreamTimeout != standard.upstreamTimeout),
        ("maximumBody", maximumBody != standard.maximumBody), ("controlPort", controlPort != nil),
        ("controlOrigin", controlOrigin != nil),
      ]
      if let name = given.first(where: { $0.1 })?.0 { throw .badOptions("\(name) has no meaning without upstream") }
      return nil
    }
    try refuseOptionsOfOwnState()
    let address: BaseURL
    do throws(BaseURL.Defect) {
      address = try BaseURL(upstream)
    } catch {
      throw .badOptions("upstream \(error.description)")
    }
    let host = try upstreamHost.map { text throws(StartError) in
      guard let host = UpstreamHost(text) else {
        throw .badOptions(
          "upstreamHost \(text): expected a host with an optional port, as in api.example or https://api.example, or client"
        )
      }
      return host
    }
    guard controlPort.map((0...65_535).contains) ?? true else {
      throw .badOptions("controlPort \(controlPort ?? 0): expected a port from 0 to 65535")
    }
    if let controlOrigin, !Self.isOrigin(controlOrigin) {
      throw .badOptions("controlOrigin \(controlOrigin): expected an origin, as in http://localhost:5173")
    }
    guard upstreamTimeout >= .milliseconds(1), upstreamTimeout <= .seconds(86_400) else {
      throw .badOptions("upstreamTimeout \(upstreamTimeout): expected a duration from 1ms to 24h")
    }
    guard 1...Self.maximumMaximumBody ~= maximumBody else {
      throw .badOptions("maximumBody \(maximumBody): expected 1 byte to \(Self.maximumMaximumBody >> 20) MiB")
    }
    let isLoopback = self.host.map(MockServer.isLoopback) ?? true
    let names = [address.authority] + (host?.fixedAuthority.map { [$0] } ?? [])
    return Upstream.Configuration(
      address: address, host: host ?? UpstreamHost(of: address),
      allowedHosts: isLoopback ? AllowedHosts(names, allowedHosts) : nil,
      semantics: try semanticsFile.map(Semantics.load) ?? .none,
      timeout: NanosecondDuration(upstreamTimeout), maximumBody: maximumBody, apiName: upstreamName)
  }

  /// True if a text is an origin as a browser sends it: scheme and authority in small letters.
  private static func isOrigin(_ text: String) -> Bool {
    for scheme in ["http://", "https://"] where text.hasPrefix(scheme) {
      return text == text.lowercased() && Authority.isValid(String(text.dropFirst(scheme.count)))
    }
    return false
  }

  private static let maximumMaximumBody = 256 << 20

  /// Throws for an option about data that the upstream has, and not this server.
  private func refuseOptionsOfOwnState() throws(StartError) {
    let refused: [(name: String, isGiven: Bool, reason: String)] = [
      ("dataDirectory", dataDirectory != nil, "the data is the backend's"),
      ("stateDirectory", stateDirectory != nil, "the backend keeps its own state"),
      ("apiPorts", apiPorts != nil, "the five APIs are not served"),
    ]
    guard let option = refused.first(where: \.isGiven) else { return }
    throw .badOptions("\(option.name) cannot be used in front of a backend: \(option.reason)")
  }
}

extension Upstream.Configuration {
  /// Throws if the upstream is the server itself, which would then ask itself without end: if no address that is tried before
  /// one of its own accepts connections.
  ///
  /// - Parameters:
  ///   - addresses: The addresses of the upstream.
  ///   - port: The port at which the server listens.
  ///   - host: The host at which it listens; nil for both loopback addresses.
  func refuseOwnAddress(_ addresses: [SocketAddress], port: Int, host: String?) throws(StartError) {
    guard address.port == port, let listeners = try? Listener.addresses(of: host),
      let own = addresses.firstIndex(where: { address in listeners.contains { address.reaches($0) } })
    else { return }
    // Those before it are tried first.
    let backend = try? ClientSocket.connected(toFirstOf: Array(addresses[..<own]), until: .now + .seconds(1))
    guard backend == nil else { return }
    throw .badOptions(
      "upstream \(name) is the address of this server itself; give the backend's, or choose another port")
  }
}

extension MockServer {
  /// Returns the first error in a file of semantics; nil if there is none.
  package static func violation(inSemantics json: JSONValue) -> ValidationError? {
    do throws(ValidationError) {
      _ = try Semantics(json: json)
      return nil
    } catch {
      return error
    }
  }
}

extension Semantics {
  /// The maximum size of a file.
  private static let maximumBytes = 1 << 20

  /// Reads a file.
  fileprivate static func load(_ path: String) throws(StartError) -> Semantics {
    do throws(FileDefect) {
      return try File.value(in: path, atMost: maximumBytes) { json throws(ValidationError) in
        try Semantics(json: json)
      }
    } catch {
      throw .badOptions("semanticsFile \(error.sentence)")
    }
  }
}
