@_exported import CMusl

// The declarations of Swift's overlay, since the C importer leaves them out.

public var errno: Int32 {
  get { unsafe understudy_errno().pointee }
  set { unsafe understudy_errno().pointee = newValue }
}

public func open(_ path: UnsafePointer<CChar>, _ flags: Int32) -> Int32 { unsafe understudy_open(path, flags, 0) }

public func open(_ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t) -> Int32 {
  unsafe understudy_open(path, flags, mode)
}

public func fcntl(_ descriptor: Int32, _ command: Int32) -> Int32 { understudy_fcntl(descriptor, command, 0) }

public func fcntl(_ descriptor: Int32, _ command: Int32, _ value: Int32) -> Int32 {
  understudy_fcntl(descriptor, command, value)
}

public func ioctl(_ descriptor: Int32, _ request: UInt, _ value: UnsafeMutableRawPointer) -> Int32 {
  unsafe understudy_ioctl(descriptor, request, value)
}

public var S_IFMT: mode_t { 0o170000 }
public var S_IFREG: mode_t { 0o100000 }
public var S_IFDIR: mode_t { 0o040000 }
public var S_IFLNK: mode_t { 0o120000 }

public typealias SignalHandler = @convention(c) (Int32) -> Void
public var SIG_DFL: SignalHandler? { nil }
public var SIG_IGN: SignalHandler { unsafe unsafeBitCast(1, to: SignalHandler.self) }
