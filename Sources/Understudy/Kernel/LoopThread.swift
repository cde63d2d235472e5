import Platform

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Runs a body on a new thread, to its end.
enum LoopThread {
  static func start(_ body: @escaping @Sendable () -> Void) throws(SystemError) {
    let box = unsafe Unmanaged.passRetained(Body(run: body)).toOpaque()
    #if os(Linux)
      #if canImport(Glibc)
        var thread = pthread_t()
      #else
        var thread: pthread_t?
      #endif
      let status = unsafe pthread_create(
        &thread, nil,
        { argument in
          guard let argument = unsafe argument else { return nil }
          unsafe Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
          return nil
        }, box)
    #else
      var thread: pthread_t?
      let status = unsafe pthread_create(
        &thread, nil,
        { argument in
          unsafe Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
          return nil
        }, box)
    #endif
    guard status == 0 else {
      unsafe Unmanaged<Body>.fromOpaque(box).release()
      throw SystemError("pthread_create", code: status)
    }
    #if canImport(Glibc)
      pthread_detach(thread)
    #else
      if let thread = unsafe thread { unsafe pthread_detach(thread) }
    #endif
  }

  /// Lets the threads with the usual priority run before the current one.
  static func lowerPriority() {
    // On Linux it is that of the calling thread only.
    #if canImport(Glibc)
      _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, backgroundNice)
    #elseif canImport(Musl)
      _ = setpriority(PRIO_PROCESS, 0, backgroundNice)
    #else
      pthread_set_qos_class_self_np(QOS_CLASS_UTILITY, 0)
    #endif
  }

  private static let backgroundNice: Int32 = 3

  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(run: @escaping @Sendable () -> Void) { self.run = run }
  }
}
