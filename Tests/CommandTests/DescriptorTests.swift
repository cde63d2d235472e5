#if canImport(Glibc)
  import Foundation
  import LiveTesting
  import Testing

  @Suite("The program's descriptors", .live)
  struct DescriptorTests {
    private func open(_ program: Program) throws -> Int {
      let line = try program.line()
      guard let port = line.split(separator: ":").last.flatMap({ Int($0) }) else {
        throw Program.Failure(description: "no port in «\(line)»")
      }
      return port
    }

    private func descriptors(of program: Program) throws -> Int {
      try FileManager.default.contentsOfDirectory(atPath: "/proc/\(program.identifier)/fd").count
    }

    @Test("may run out: established connections are served, and pending ones as soon as a descriptor is free")
    func runOut() throws {
      let program = try Program(["--port", "0"], descriptors: 40)
      let port = try open(program)
      let inside = try #require(Caller(port: port))
      #expect(inside.ask("GET", "/users/1")?.status == 200)
      // The kernel completes these; the program has no descriptor for the last ones.
      var crowd = (0..<60).compactMap { _ in Caller(port: port) }
      #expect(crowd.count == 60)
      let popped = crowd.popLast()
      let last = try #require(popped)
      for _ in 0..<20 { #expect(inside.ask("GET", "/users/1")?.status == 200) }
      #expect(try descriptors(of: program) >= 40, "all are in use")
      #expect(try program.errorLine().contains("all descriptors are in use, so new connections wait"))
      crowd = []
      #expect(last.ask("GET", "/users/2")?.status == 200)
      #expect(inside.ask("GET", "/users/1")?.status == 200)
      // The program would wait for these connections before it ends.
      for caller in [inside, last] { caller.leave(after: "", by: .closes) }
      program.terminate()
      #expect(try program.result().status == 0)
    }

    @Test("are as many as its hard limit allows")
    func raised() throws {
      let limits = #"ulimit -Sn 64; ulimit -Hn 100; exec "$0" "$@""#
      let program = try Program(["--port", "0"], tracer: ["/bin/sh", "-c", limits])
      _ = try open(program)
      let text = try String(contentsOfFile: "/proc/\(program.identifier)/limits", encoding: .utf8)
      let words = text.split(separator: "\n").first { $0.hasPrefix("Max open files ") }?.split(separator: " ")
      #expect(words?.dropFirst(3).first == "100", "\(text)")
      program.terminate()
      #expect(try program.result().status == 0)
    }

    @Test("are named as the reason if none is left to ask a backend")
    func noneForBackend() throws {
      let backend = try BoundListener()
      let program = try Program(
        ["--port", "0", "--upstream", "http://127.0.0.1:\(backend.port)"], descriptors: 40)
      let port = try open(program)
      let inside = try #require(Caller(port: port))
      #expect(inside.ask("GET", "/_mock/health")?.status == 200)
      let crowd = (0..<60).compactMap { _ in Caller(port: port) }
      #expect(crowd.count == 60)
      #expect(try program.errorLine().contains("all descriptors are in use"))
      let answer = inside.ask("GET", "/orders")
      #expect(answer?.status == 502)
      #expect(answer?.body.contains("all descriptors of this server are in use") == true)
      #expect(answer?.body.contains("ulimit -n") == true)
      for caller in crowd + [inside] { caller.leave(after: "", by: .closes) }
      program.terminate()
      #expect(try program.result().status == 0)
    }

    @Test("are not all used for ports of sandboxes, so that new connections can delete some")
    func ports() throws {
      let program = try Program(["--port", "0"], descriptors: 60)
      let port = try open(program)
      let first = try #require(Caller(port: port))
      var made = 0
      var refusal: Caller.Response?
      while refusal == nil, made < 60 {
        let response = try #require(first.ask("POST", "/_mock/sandboxes", #"{"name":"s\#(made)","port":0}"#))
        if response.status == 201 { made += 1 } else { refusal = response }
      }
      #expect(made > 5)
      #expect(refusal?.body.contains("No descriptor is left for another port") == true)
      let next = try #require(Caller(port: port))
      #expect(next.ask("DELETE", "/_mock/sandboxes/s0")?.status == 204)
      #expect(next.ask("POST", "/_mock/sandboxes", #"{"name":"s0","port":0}"#)?.status == 201)
      for caller in [first, next] { caller.leave(after: "", by: .closes) }
      program.terminate()
      #expect(try program.result().status == 0)
    }

    @Test("are not kept back from the server's own ports")
    func ownPorts() throws {
      let idle = try Program(["--port", "0", "--api-ports", "0"], descriptors: 120)
      _ = try open(idle)
      let needed = try descriptors(of: idle)
      idle.terminate()
      #expect(try idle.result().status == 0)
      let tight = try Program(["--port", "0", "--api-ports", "0"], descriptors: needed + 4)
      let caller = try #require(Caller(port: try open(tight)))
      #expect(caller.ask("GET", "/users/1")?.status == 200)
      caller.leave(after: "", by: .closes)
      tight.terminate()
      #expect(try tight.result().status == 0)
    }

    @Test("are not kept back from the ports of sandboxes that the server stores")
    func reopenedPorts() throws {
      let directory = try ScratchDirectory()
      let options = ["--port", "0", "--api-ports", "0", "--state", directory.path]
      var program = try Program(options, descriptors: 120)
      let first = try #require(Caller(port: try open(program)))
      for number in 0..<12 {
        #expect(first.ask("POST", "/_mock/sandboxes", #"{"name":"s\#(number)","port":0}"#)?.status == 201)
      }
      let count = try descriptors(of: program)
      first.leave(after: "", by: .closes)
      program.terminate()
      #expect(try program.result().status == 0)

      // All ports together need some of the last quarter.
      program = try Program(options, descriptors: count + 6)
      let next = try #require(Caller(port: try open(program)))
      let sandboxes = try #require(next.ask("GET", "/_mock/sandboxes")?.body)
      next.leave(after: "", by: .closes)
      program.terminate()
      let result = try program.result()
      #expect(result.status == 0)
      // Another process may have taken a port between the two starts: then its sandbox has lost it, with a notice.
      let kept = sandboxes.components(separatedBy: #""port":"#).count - 1
      let lost = result.errors.split(separator: "\n").filter { $0.contains("could not be opened, and was removed") }
      #expect(kept + lost.count == 12 && lost.allSatisfy { $0.contains("Address already in use") }, "\(result)")
    }

    @Test("are released when peers close, half-close or reset their connections", arguments: Caller.Leaving.allCases)
    func leaveNoneBehind(leaving: Caller.Leaving) async throws {
      let program = try Program(["--port", "0"])
      let port = try open(program)
      let watcher = try #require(Caller(port: port))
      #expect(watcher.ask("GET", "/users/1")?.status == 200)
      let before = try descriptors(of: program)
      let get = "GET /users HTTP/1.1\r\nHost: localhost\r\n\r\n"
      let beginnings = ["", "GET", get, String(repeating: get, count: 40), "bad\r\n\r\n", get.dropLast(2).description]
      for beginning in beginnings {
        for _ in 0..<10 { try #require(Caller(port: port)).leave(after: beginning, by: leaving) }
      }
      // Nothing reports that another process has closed a descriptor. Each request is a further turn of its loop.
      #expect(
        try await succeeds {
          _ = watcher.ask("GET", "/users/1")
          return try descriptors(of: program) == before
        })
      watcher.leave(after: "", by: .closes)
      program.terminate()
      #expect(try program.result().status == 0)
    }
  }
#endif
