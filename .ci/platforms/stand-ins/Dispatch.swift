// The part of Dispatch that the files that call the system use; on Linux the real one would bring Glibc along.

public final class DispatchQueue: Sendable {
  public init(label: String) {}
  public func async(execute work: @escaping @Sendable () -> Void) {}
}

public struct DispatchTime: Sendable {
  public static func now() -> DispatchTime { DispatchTime() }
  public static func + (time: DispatchTime, seconds: Double) -> DispatchTime { time }
}

public enum DispatchTimeoutResult {
  case success, timedOut
}

public final class DispatchSemaphore: Sendable {
  public init(value: Int) {}
  @discardableResult
  public func signal() -> Int { 0 }
  public func wait(timeout: DispatchTime) -> DispatchTimeoutResult { .success }
}
