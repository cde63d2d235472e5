import Contract
import Faults
import JSON
import Primitives
import Testing

@testable import Report
@testable import Understudy

@Suite("The metrics")
struct MetricsTests {
  /// The value of a sample by its name and labels as they are written.
  private static func sample(_ stage: Stage, _ name: String, _ prefix: String = "") throws -> String? {
    let response = try exchange(stage.server, wire("GET", prefix + "/_mock/metrics"))
    try #require(response.status == 200 && response["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8")
    let line = response.text.split(separator: "\n").first { $0.hasPrefix(name + " ") }
    return line?.split(separator: " ").last.map { String($0) }
  }

  @Test("describe each family in words, without names of the code")
  func describesFamilies() async throws {
    try await withStage { stage in
      let page = try exchange(stage.server, wire("GET", "/_mock/metrics")).text
      let descriptions = page.split(separator: "\n").filter { $0.hasPrefix("# HELP ") }
      #expect(descriptions.count > 10)
      for text in descriptions { #expect(text.hasSuffix(".") && !text.dropLast().contains(/\w\.\w/), "\(text)") }
    }
  }

  @Test("have a value for each gauge, among them the number of stored entries")
  func hasGauges() async throws {
    try await withStage { stage in
      for _ in 0..<2 { _ = try exchange(stage.server, wire("GET", "/devices")) }
      let page = try exchange(stage.server, wire("GET", "/_mock/metrics")).text
      let gauges = page.matches(of: /# TYPE (\w+) gauge/).map { String($0.1) }
      #expect(gauges.count > 4)
      let samples = Set(page.split(separator: "\n").compactMap { $0.prefixMatch(of: /\w+/).map { String($0.0) } })
      for name in gauges { #expect(samples.contains(name), "\(name)") }
      #expect(try Self.sample(stage, "understudy_journal_entries") == "2")
      #expect(try Self.sample(stage, "understudy_sandboxes") == "1")
    }
  }

  @Test("count each request by operation and status, including invalid ones")
  func countsRequests() async throws {
    try await withStage { stage in
      for target in ["/devices", "/devices", "/users/1", "/devices/none", "/devices/a/b/c", "/unknown"] {
        _ = try exchange(stage.server, wire("GET", target))
      }
      _ = try exchange(stage.server, "nonsense\r\n\r\n")
      let expected = [
        ("devices", "listDevices", "200", "2"), ("users", "getUser", "200", "1"), ("devices", "getDevice", "404", "1"),
        ("devices", "none", "404", "1"), ("none", "none", "404", "1"), ("none", "none", "400", "1"),
      ]
      for (api, operation, status, count) in expected {
        let name = "understudy_requests_total{api=\"\(api)\",operation=\"\(operation)\",status=\"\(status)\"}"
        #expect(try Self.sample(stage, name) == count, "\(name)")
      }
    }
  }

  @Test("count a reset before any byte as a request without a status, and its fault by kind and phase")
  func countsFaults() async throws {
    let rule = #"{"match":{"changes":true},"phase":"after","effect":{"fault":"reset-bare"}}"#
    try await withStage(rule) { stage in
      let client = try WireConnection(stage.server.port)
      try client.send(Stage.write)
      try #require((try? client.response()) == nil)
      let name = "understudy_requests_total{api=\"booking\",operation=\"bookRoom\",status=\"none\"}"
      #expect(try Self.sample(stage, name) == "1")
      #expect(try Self.sample(stage, "understudy_faults_total{kind=\"reset-bare\",phase=\"after\"}") == "1")
    }
  }

  @Test("count a fault that could not be applied as such, and not as an applied one")
  func countsUndeliverableFaults() async throws {
    let rule = #"{"match":{"path":"/devices/*"},"effect":{"fault":"truncate","at":"1/2"}}"#
    try await withStage(rule) { stage in
      _ = try exchange(
        stage.server, wire("PATCH", Stage.device, body: "{\"installationDate\":\"2023-07-05T15:13:34Z\"}"))
      #expect(try Self.sample(stage, "understudy_undeliverable_faults_total") == "1")
      #expect(try Self.sample(stage, "understudy_faults_total{kind=\"truncate\",phase=\"before\"}") == nil)
    }
  }

  @Test("have each delay once in the planned and in the measured histogram and in the report, and none early")
  func measuresDelays() async throws {
    try await withStage(#"{"match":{"api":"users"},"effect":{"latency":"20ms"}}"#) { stage in
      for _ in 0..<3 { _ = try exchange(stage.server, wire("GET", "/users/1")) }
      _ = try exchange(stage.server, wire("GET", "/devices"))
      #expect(try Self.sample(stage, "understudy_planned_delay_seconds_sum") == "0.06")
      #expect(try Self.sample(stage, "understudy_planned_delay_seconds_bucket{le=\"0.016384\"}") == "0")
      #expect(try Self.sample(stage, "understudy_planned_delay_seconds_bucket{le=\"0.032768\"}") == "3")
      #expect(try Self.sample(stage, "understudy_measured_delay_seconds_count") == "3")
      #expect(try Self.sample(stage, "understudy_early_delays_total") == "0")
      let delays = try #require(try stage.json("/_mock/report?format=json")["delays"])
      #expect(delays["planned", "count"] == 3 && delays["planned", "max"] == "20ms" && delays["early"] == 0)
      let least = try #require(delays["measured", "min"]?.string.flatMap(DurationText.init)?.duration)
      #expect(least >= .milliseconds(20))
    }
  }

  @Test("have the delays of the requested sandbox, and those of the whole server")
  func tellsSandboxesApart() async throws {
    try await withStage { stage in
      _ = try stage.json("/_mock/sandboxes", "POST", #"{"name":"ci-42"}"#)
      _ = try exchange(stage.server, wire("GET", "/@ci-42/users/1", "Prefer: delay=5ms"))
      let name = "understudy_sandbox_planned_delay_seconds_count"
      #expect(try Self.sample(stage, name + "{sandbox=\"default\"}") == "0")
      #expect(try Self.sample(stage, name + "{sandbox=\"ci-42\"}", "/@ci-42") == "1")
      #expect(try Self.sample(stage, "understudy_planned_delay_seconds_count") == "1")
      #expect(try Self.sample(stage, "understudy_sandboxes") == "2")
      #expect(try Self.sample(stage, "understudy_sandbox_journal_entries{sandbox=\"ci-42\"}", "/@ci-42") == "1")
      _ = try stage.json("/@ci-42/_mock/reset", "POST")
      #expect(try Self.sample(stage, name + "{sandbox=\"ci-42\"}", "/@ci-42") == "0")
      #expect(try Self.sample(stage, "understudy_planned_delay_seconds_count") == "1")
    }
  }

  @Test("write seconds as exact decimals, and escape characters that would end a label or a line")
  func writesTheFormat() {
    #expect(Exposition.seconds(.microseconds(16)) == "0.000016")
    #expect(Exposition.seconds(.milliseconds(2_500)) == "2.5")
    #expect(Exposition.seconds(.seconds(3)) == "3")
    #expect(Exposition.seconds(.nanoseconds(1_000_000_001)) == "1.000000001")
    var page = Exposition()
    page.family("a_total", .counter, "One \"line\",\nand \\ another.")
    page.sample("a_total", [.init("b", "x\"y\\z\n")], 1)
    #expect(
      page.text == """
        # HELP a_total One "line",\\nand \\\\ another.
        # TYPE a_total counter
        a_total{b="x\\"y\\\\z\\n"} 1

        """)
  }
}
