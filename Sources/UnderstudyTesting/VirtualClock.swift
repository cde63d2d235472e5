public import Understudy

/// A clock for tests of code that takes a `Clock`: its time passes only when somebody sleeps or advances it.
public typealias VirtualClock = Understudy.VirtualClock
