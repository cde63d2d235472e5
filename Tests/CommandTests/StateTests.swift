import Foundation
import LiveTesting
import Testing

@Suite("The program with --state", .live)
struct StateTests {
  private static func start(_ directory: String, _ words: String...) throws -> (Program, Caller) {
    let program = try Program(["--port", "0", "--state", directory] + words)
    let line = try program.line()
    let port = try #require(line.split(separator: ":").last.flatMap { Int($0) }, "\(line)")
    return (program, try #require(Caller(port: port)))
  }

  @Test("exits with 69 if another server uses the directory")
  func inUse() throws {
    let scratch = try ScratchDirectory()
    let (program, caller) = try Self.start(scratch.path)
    let result = try Program("--port", "0", "--state", scratch.path).result()
    #expect(result.status == 69)
    #expect(result.errors.contains("another understudy stores its state there"))
    #expect(caller.ask("GET", "/living-room/tv/on")?.status == 200, "the one that has it is not disturbed")
    program.kill()
    let (second, again) = try Self.start(scratch.path)
    #expect(again.ask("GET", "/@house/state")?.body.contains("\"TV\":true") == true, "a lock dies with its owner")
    second.kill()
  }

  @Test("exits with 65 for a file that is damaged or of another version, and names it and the expectation")
  func damaged() throws {
    let scratch = try ScratchDirectory()
    let (program, caller) = try Self.start(scratch.path)
    #expect(caller.ask("GET", "/living-room/tv/on")?.status == 200)
    program.kill()
    let file = URL(fileURLWithPath: scratch.path + "/default/state")
    let sound = try String(contentsOf: file, encoding: .utf8)
    let contents = [
      (String(sound.dropLast(9)), "expected JSON"),
      (sound.replacing("\"version\":2", with: "\"version\":9"), "found 9"),
      (sound.replacing("\"TV\":true", with: "\"TV\":7"), "at /data/house/rooms/Living Room/TV"),
    ]
    for (content, expectation) in contents {
      try content.write(to: file, atomically: false, encoding: .utf8)
      let result = try Program("--port", "0", "--state", scratch.path).result()
      #expect(result.status == 65)
      #expect(result.errors.contains(scratch.path + "/default/state: ") && result.errors.contains(expectation))
      #expect(result.errors.split(separator: "\n").count == 1, "\(result.errors)")
      #expect(try String(contentsOf: file, encoding: .utf8) == content, "what is refused is left as it is")
    }
  }

  @Test("exits with 65 for the log of an earlier version, and says what to do")
  func earlierVersion() throws {
    let scratch = try ScratchDirectory()
    try scratch.write("understudy state 1\n", to: "state.log")
    let result = try Program("--port", "0", "--state", scratch.path).result()
    #expect(result.status == 65 && result.errors.contains("state.log: the state of an earlier understudy"))
  }

  @Test("exits with 73 if the directory cannot be created")
  func unwritable() throws {
    let result = try Program("--port", "0", "--state", "/no/such/place").result()
    #expect(result.status == 73)
    #expect(result.errors.contains("--state /no/such/place"))
  }

  @Test("applies data files to new sandboxes only, and a scenario and a seed to the default one")
  func commandLine() throws {
    let scratch = try ScratchDirectory()
    let state = scratch.path + "/state"
    let attic =
      "[{\"id\": \"A\", \"type\": \"heating\", \"meterPointDescription\": \"Attic\", \"installationDate\": null}]"
    try scratch.write(attic, to: "devices.json")
    var (program, caller) = try Self.start(state)
    _ = caller.ask("PUT", "/_mock/scenario", "\"edge\"")
    program.kill()
    (program, caller) = try Self.start(state, "--data", scratch.path)
    #expect(caller.ask("GET", "/devices")?.body.contains("WWM-0001-12") == true, "the default sandbox has its data")
    #expect(caller.ask("GET", "/_mock/scenario")?.body.contains("\"name\":\"edge\"") == true, "and its scenario")
    _ = caller.ask("POST", "/_mock/sandboxes", "{\"name\":\"new\"}")
    #expect(caller.ask("GET", "/@new/devices")?.body.contains("Attic") == true)
    program.kill()
    (program, caller) = try Self.start(state, "--scenario", "3g", "--seed", "7")
    #expect(caller.ask("GET", "/_mock/scenario")?.body.contains("\"name\":\"3g\"") == true, "new flags hold")
    #expect(caller.ask("GET", "/@new/devices")?.body.contains("Attic") == true)
    _ = caller.ask("POST", "/@new/_mock/reset")
    #expect(caller.ask("GET", "/@new/devices")?.body.contains("Attic") == true, "a reset goes back to its own start")
    program.kill()
  }

  #if os(Linux)
    @Test("refuses changes with 507 while the disk is full, and serves reads")
    func diskFull() throws {
      let scratch = try ScratchDirectory()
      let (program, caller) = try Self.start(scratch.path)
      #expect(try Self.book(caller, "before") == 200)
      // No file may have more bytes than the image with the data alone, so the first change is refused.
      let state = scratch.path + "/default/state"
      let size = try #require(try FileManager.default.attributesOfItem(atPath: state)[.size] as? NSNumber).intValue
      try Self.limitFiles(of: program, to: "\(size)")
      #expect(try Self.book(caller, "full") == 507)
      #expect(try program.errorLine().contains("File too large; changes that cannot be stored get 507"))
      let refusal = caller.ask("POST", "/book", key: "full", "{\"name\":\"Ljerka\"}")
      #expect(refusal?.status == 507 && refusal?.body.contains("urn:understudy:problem:not-kept") == true)
      #expect(caller.ask("GET", "/rooms.json")?.body.contains("\"Ljerka\",\"spots\":42,") == true)
      try Self.limitFiles(of: program, to: "unlimited")
      #expect(try Self.book(caller, "full") == 200, "the same request, when there is room")
      #expect(try program.errorLine().contains("changes can be stored again"))
      program.kill()
      let (second, again) = try Self.start(scratch.path)
      #expect(again.ask("GET", "/rooms.json")?.body.contains("\"Ljerka\",\"spots\":41,") == true)
      second.kill()
    }

    private static func book(_ caller: Caller, _ key: String) throws -> Int {
      try #require(caller.ask("POST", "/book", key: key, "{\"name\":\"Ljerka\"}")).status
    }

    /// Sets RLIMIT_FSIZE of the running program by prlimit(1) of util-linux.
    private static func limitFiles(of program: Program, to bytes: String) throws {
      let arguments = ["prlimit", "--pid", "\(program.identifier)", "--fsize=\(bytes):"]
      try #require(try ChildProcess.run(URL(fileURLWithPath: "/usr/bin/env"), arguments).status == 0)
    }
  #endif
}
