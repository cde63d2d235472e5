/// Writes numbers without an intermediate `String`.
package enum Digits {
  package static func appendDecimal(_ number: Int, to output: inout [UInt8]) {
    if number < 0 { output.append(0x2D) }
    var rest = number.magnitude
    var unit: UInt = 1
    // Divisions cost most; the first comparison is enough for most numbers.
    while unit <= rest / 10 { unit *= 10 }
    while unit > 0 {
      output.append(Byte.zero + UInt8(truncatingIfNeeded: rest / unit))
      rest %= unit
      unit /= 10
    }
  }

  package static func appendHexadecimal(_ number: Int, to output: inout [UInt8]) {
    var shift = max(0, (Int.bitWidth - 1 - number.leadingZeroBitCount) / 4 * 4)
    while shift >= 0 {
      let digit = UInt8(truncatingIfNeeded: number >> shift) & 0xF
      output.append(digit < 10 ? Byte.zero + digit : 0x57 + digit)
      shift -= 4
    }
  }
}
