#if canImport(Darwin)
  @_exported import Darwin
#else
  @_exported import Musl
#endif

// The part of Foundation that the files that call the system use; on Linux the real one would bring Glibc along.

public final class Thread: @unchecked Sendable {
  public var stackSize = 0
  public var name: String?
  public init(block: @escaping @Sendable () -> Void) {}
  public func start() {}
  public static func detachNewThread(_ block: @escaping @Sendable () -> Void) {}
}

public struct URL: Sendable {
  public var path: String { "" }
  public init(fileURLWithPath: String) {}
  public func deletingLastPathComponent() -> URL { self }
}

public final class ProcessInfo: Sendable {
  public static var processInfo: ProcessInfo { ProcessInfo() }
  public init() {}
  public var environment: [String: String] { [:] }
}

extension String {
  public struct Encoding: Sendable {
    public static var utf8: Encoding { Encoding() }
  }
  public func write(toFile path: String, atomically: Bool, encoding: Encoding) throws {}
}

public struct Data: Sendable {
  public init(contentsOf url: URL) throws {}
  public func write(to url: URL) throws {}
}

open class FileManager: @unchecked Sendable {
  public static var `default`: FileManager { FileManager() }
  public init() {}
  open func fileExists(atPath: String) -> Bool { false }
  open func contentsOfDirectory(atPath: String) throws -> [String] { [] }
  open func attributesOfItem(atPath: String) throws -> [FileAttributeKey: Any] { [:] }
  open func removeItem(atPath: String) throws {}
  open func createDirectory(at: URL, withIntermediateDirectories: Bool) throws {}
}

public struct FileAttributeKey: RawRepresentable, Hashable, Sendable {
  public var rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public static let size = FileAttributeKey(rawValue: "size")
  public static let modificationDate = FileAttributeKey(rawValue: "modificationDate")
}

public struct Date: Sendable {}

public struct CocoaError: Error {
  public struct Code: RawRepresentable, Hashable, Sendable {
    public var rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    public static var fileReadNoSuchFile: Code { Code(rawValue: 260) }
  }
  public var code: Code { .fileReadNoSuchFile }
  public var underlying: (any Error)? { nil }
}

public struct POSIXErrorCode: RawRepresentable, Sendable {
  public var rawValue: Int32
  public init?(rawValue: Int32) { self.rawValue = rawValue }
}

public struct POSIXError: Error {
  public var code: POSIXErrorCode
}

extension Error {
  public var localizedDescription: String { "" }
}
