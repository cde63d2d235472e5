// The part of Dispatch that the files that call the system use; on Linux the real one would bring Glibc along.

public final class DispatchQueue: Sendable {
  public init(label: String) {}
  public func async(execute work: @escaping @Sendable () -> Void) {}
}
