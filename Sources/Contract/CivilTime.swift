import Primitives

/// A date and time of day in the proleptic Gregorian calendar.
package struct CivilTime: Sendable, Hashable {
  package var year: Int
  package var month: Int
  package var day: Int
  package var hour: Int
  package var minute: Int
  package var second: Int
  package var nanosecond: Int
  /// The day of the week; 0 is Sunday.
  package var weekday: Int

  /// Creates the civil time of `instant` in the time zone that is `offset` east of Greenwich.
  package init(_ instant: Instant, offset: Duration = .zero) {
    let (seconds, nanosecond) = Instant.floor((instant + offset).nanoseconds, 1_000_000_000)
    let (days, secondOfDay) = Instant.floor(seconds, 86_400)
    (year, month, day) = Self.date(daysSinceEpoch: Int(days))
    hour = Int(secondOfDay) / 3_600
    minute = Int(secondOfDay) / 60 % 60
    second = Int(secondOfDay) % 60
    self.nanosecond = Int(nanosecond)
    weekday = Int(Instant.floor(days + 4, 7).remainder)
  }

  /// Counts in eras of 400 years that begin in March, so that the leap day is the last day of a year.
  private static func date(daysSinceEpoch: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = daysSinceEpoch + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
  }

  /// Returns the number of days from 1970-01-01 to a date.
  static func daysSinceEpoch(year: Int, month: Int, day: Int) -> Int {
    let shiftedYear = month <= 2 ? year - 1 : year
    let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
    let yearOfEra = shiftedYear - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  static func daysInMonth(_ month: Int, year: Int) -> Int {
    switch month {
    case 2: (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}
