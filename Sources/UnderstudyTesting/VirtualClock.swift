public import Understudy

/// A clock for tests of code that takes a `Clock`: its time passes only when a task sleeps or a test advances it.
public typealias VirtualClock = Understudy.VirtualClock
