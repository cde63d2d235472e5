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

  /// Appends a number divided by a power of ten, without zeros at the end of the fraction.
  package static func appendDecimal(_ number: Int64, over unit: Int64, to output: inout [UInt8]) {
    let (whole, rest) = number.quotientAndRemainder(dividingBy: unit)
    appendDecimal(Int(whole), to: &output)
    guard rest > 0 else { return }
    // The digit before the fraction becomes the point.
    let point = output.count
    appendDecimal(Int(unit + rest), to: &output)
    output[point] = Byte.dot
    while output[output.count - 1] == Byte.zero { output.removeLast() }
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
