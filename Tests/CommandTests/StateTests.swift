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

  @Test("exits with 65 for a log that is damaged or of another version, and names the position and the expectation")
  func damaged() throws {
    let scratch = try ScratchDirectory()
    let (program, caller) = try Self.start(scratch.path)
    for fixture in ["tv/on", "tv/off", "light/on"] { _ = caller.ask("GET", "/living-room/\(fixture)") }
    program.kill()
    let log = URL(fileURLWithPath: scratch.path + "/state.log")
    let sound = try Data(contentsOf: log)
    var damaged = sound
    let index = sound.count - 100
    damaged[index] ^= 4
    try damaged.write(to: log)
    let result = try Program("--port", "0", "--state", scratch.path).result()
    #expect(result.status == 65)
    #expect(result.errors.contains(scratch.path + "/state.log: at byte ") && result.errors.contains("expected frame"))
    #expect(try Data(contentsOf: log) == damaged, "what is refused is left as it is")
    var later = sound
    later[17] = UInt8(ascii: "9")
    try later.write(to: log)
    let other = try Program("--port", "0", "--state", scratch.path).result()
    #expect(other.status == 65)
    #expect(other.errors.contains("version 1, found 9"))
    try sound.dropLast(3).write(to: log)
    let (torn, again) = try Self.start(scratch.path)
    #expect(try torn.errorLine().contains("at the end are an incomplete change"))
    let state = again.ask("GET", "/@house/state")?.body ?? ""
    #expect(state.contains("\"TV\":false") && state.contains("\"Living Room\":{\"Light\":false"))
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
      let log = scratch.path + "/state.log"
      let size = try #require(try FileManager.default.attributesOfItem(atPath: log)[.size] as? NSNumber).intValue
      try Self.limitFiles(of: program, to: "\(size + 1_000)")
      var acknowledged = 1
      var last = ""
      for number in 0..<50 {
        last = "k\(number)"
        if try Self.book(caller, last) == 507 { break }
        acknowledged += 1
      }
      #expect(acknowledged < 50, "the file could not grow")
      #expect(try program.errorLine().contains("File too large; changes get 507 until the log can be written"))
      let refusal = caller.ask("POST", "/book", key: last, "{\"name\":\"Ljerka\"}")
      #expect(refusal?.status == 507 && refusal?.body.contains("urn:understudy:problem:not-kept") == true)
      #expect(caller.ask("GET", "/rooms.json")?.body.contains("\"Ljerka\",\"spots\":\(43 - acknowledged),") == true)
      try Self.limitFiles(of: program, to: "unlimited")
      #expect(try Self.book(caller, last) == 200, "the same request, when there is room")
      #expect(try program.errorLine().contains("changes can be stored again"))
      program.kill()
      let (second, again) = try Self.start(scratch.path)
      #expect(again.ask("GET", "/rooms.json")?.body.contains("\"Ljerka\",\"spots\":\(42 - acknowledged),") == true)
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
