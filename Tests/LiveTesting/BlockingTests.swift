import Foundation
package import Testing

/// Tests that block on sockets, pipes or processes, or compute for long.
package enum BlockingTests {
  @TaskLocal private static var isRunning = false
  /// Bounds the threads and descriptors in use. Most live tests wait, so there are more lanes than cores.
  private static let lanes = Lanes(count: 8)
  private static let busyLanes = Lanes(count: ProcessInfo.processInfo.activeProcessorCount)

  /// Runs a test's body, and the tasks that it awaits, on threads that may block.
  package static func run<Result>(_ body: () async throws -> Result) async rethrows -> Result {
    try await run(in: lanes, body)
  }

  /// Runs a test's body, and the tasks that it awaits, on threads that may compute for long: at most one per core.
  package static func runBusy<Result>(_ body: () async throws -> Result) async rethrows -> Result {
    try await run(in: busyLanes, body)
  }

  private static func run<Result>(in lanes: Lanes, _ body: () async throws -> Result) async rethrows -> Result {
    guard !isRunning, #available(macOS 15, iOS 18, *) else { return try await body() }
    await lanes.enter()
    do {
      let result = try await $isRunning.withValue(true) {
        try await withTaskExecutorPreference(BlockingThreads.shared) { try await body() }
      }
      await lanes.leave()
      return result
    } catch {
      await lanes.leave()
      throw error
    }
  }
}

/// Admits a bounded number of tasks at a time, in the order of their arrival.
private actor Lanes {
  private var free: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(count: Int) { free = count }

  func enter() async {
    if free > 0 { free -= 1 } else { await withCheckedContinuation { waiting.append($0) } }
  }

  func leave() {
    if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
  }
}

/// The trait `.live` of suites and tests that block.
package struct LiveTrait: SuiteTrait, TestTrait, TestScoping {
  package var isRecursive: Bool { true }

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await BlockingTests.run { try await function() }
  }
}

extension Trait where Self == LiveTrait {
  /// Runs each test on threads that may block. `withServer` does so by itself.
  package static var live: Self { LiveTrait() }
}

/// The trait `.busy` of suites and tests that compute for seconds without a pause.
///
/// On Swift's own pool, which has one thread for each core, they would keep the timers of all other tests waiting.
package struct BusyTrait: SuiteTrait, TestTrait, TestScoping {
  package var isRecursive: Bool { true }

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await BlockingTests.runBusy { try await function() }
  }
}

extension Trait where Self == BusyTrait {
  /// Runs each test on a thread that the tasks of other tests do not need.
  package static var busy: Self { BusyTrait() }
}
