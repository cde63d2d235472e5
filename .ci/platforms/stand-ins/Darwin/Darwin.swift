@_exported import CDarwin

// The declarations of Darwin's overlay in Swift, since the C importer leaves them out.

public var errno: Int32 {
  get { unsafe __error().pointee }
  set { unsafe __error().pointee = newValue }
}

public func open(_ path: UnsafePointer<CChar>, _ flags: Int32) -> Int32 { unsafe __darwin_open(path, flags, 0) }

public func open(_ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t) -> Int32 {
  unsafe __darwin_open(path, flags, mode)
}

public func fcntl(_ descriptor: Int32, _ command: Int32) -> Int32 { __darwin_fcntl(descriptor, command, 0) }

public func fcntl(_ descriptor: Int32, _ command: Int32, _ value: Int32) -> Int32 {
  __darwin_fcntl(descriptor, command, Int(value))
}

public var TIOCGWINSZ: UInt { 0x4008_7468 }

public func ioctl(_ descriptor: Int32, _ request: UInt, _ value: UnsafeMutableRawPointer) -> Int32 {
  unsafe __darwin_ioctl(descriptor, request, value)
}

public var S_IFMT: mode_t { 0o170000 }
public var S_IFREG: mode_t { 0o100000 }
public var S_IFDIR: mode_t { 0o040000 }
public var S_IFLNK: mode_t { 0o120000 }
public var S_IFIFO: mode_t { 0o010000 }
public var S_IFCHR: mode_t { 0o020000 }
public var S_IFSOCK: mode_t { 0o140000 }

public typealias SignalHandler = @convention(c) (Int32) -> Void
public var SIG_DFL: SignalHandler? { nil }
public var SIG_IGN: SignalHandler { unsafe unsafeBitCast(1, to: SignalHandler.self) }

public var CLOCK_REALTIME: clockid_t { _CLOCK_REALTIME }
public var CLOCK_MONOTONIC: clockid_t { _CLOCK_MONOTONIC }
public var CLOCK_UPTIME_RAW: clockid_t { _CLOCK_UPTIME_RAW }
