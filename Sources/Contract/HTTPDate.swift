/// Dates in header fields (RFC 9110 section 5.6.7).
package enum HTTPDate {
  private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  /// Returns `Sun, 06 Nov 1994 08:49:37 GMT`.
  package static func text(_ instant: Instant) -> String {
    let time = CivilTime(instant)
    let date = "\(Timestamp.padded(time.day, 2)) \(months[time.month - 1]) \(Timestamp.padded(time.year, 4))"
    let clock = [time.hour, time.minute, time.second].map { Timestamp.padded($0, 2) }.joined(separator: ":")
    return "\(days[time.weekday]), \(date) \(clock) GMT"
  }
}
