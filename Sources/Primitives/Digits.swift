/// Writes numbers without an intermediate `String`.
package enum Digits {
  package static func appendDecimal(_ number: Int, to output: inout [UInt8]) {
    if number < 0 { output.append(0x2D) }
    var (rest, first) = (number.magnitude, output.count)
    // The last digit comes first: dividing by a constant costs little, and by each power of ten much.
    repeat {
      output.append(Byte.zero + UInt8(truncatingIfNeeded: rest % 10))
      rest /= 10
    } while rest > 0
    var last = output.count - 1
    while first < last {
      output.swapAt(first, last)
      first += 1
      last -= 1
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
