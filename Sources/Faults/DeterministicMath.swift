/// The logarithm, the exponential function and the normal quantile, computed only from operations that IEEE 754 defines
/// exactly.
///
/// The C library's `log` and `exp` differ between systems in the last digit, and so would a delay in microseconds: a
/// seed must have the same meaning on a developer's Mac and on the Linux machine that runs the tests. This file uses
/// only + - × ÷ and the square root, which Swift does not fuse.
enum DeterministicMath {
  /// Returns a value as a number strictly between 0 and 1, so that every quantile is finite.
  static func unit(_ draw: UInt64) -> Double {
    (Double(draw >> 11) + 0.5) * 0x1p-53
  }

  /// Returns the quantile of the standard normal distribution for probability `p`: Wichura's algorithm AS 241 (Applied
  /// Statistics 37, 1988), accurate to about 1 part in 10^16.
  static func normalQuantile(_ p: Double) -> Double {
    let centred = p - 0.5
    if centred.magnitude <= 0.425 {
      let square = 0.180625 - centred * centred
      return centred * polynomial(centralTop, square) / polynomial(centralBottom, square)
    }
    let tail = (-log(centred < 0 ? p : 1 - p)).squareRoot()
    let quantile =
      tail <= 5
      ? polynomial(middleTop, tail - 1.6) / polynomial(middleBottom, tail - 1.6)
      : polynomial(farTop, tail - 5) / polynomial(farBottom, tail - 5)
    return centred < 0 ? -quantile : quantile
  }

  /// Returns the natural logarithm of a positive, normal number: 2 artanh((m - 1) / (m + 1)) for a significand m near
  /// 1.
  static func log(_ value: Double) -> Double {
    var exponent = Double(Int64(value.bitPattern >> 52) - 1_023)
    var significand = Double(bitPattern: value.bitPattern & 0x000F_FFFF_FFFF_FFFF | 0x3FF0_0000_0000_0000)
    if significand > 1.414_213_562_373_095 {
      significand *= 0.5
      exponent += 1
    }
    let part = (significand - 1) / (significand + 1)
    let square = part * part
    // With |part| below 0.1716 the next term is under 1e-17 of the first.
    let series = polynomial(artanh, square)
    return exponent * ln2 + 2 * part * series
  }

  /// Returns e to the power of `value`, which must be within ±700: 2^k times a Taylor series of the rest.
  static func exp(_ value: Double) -> Double {
    let limited = min(max(value, -700), 700)
    let power = Int64(limited / ln2 + (limited < 0 ? -0.5 : 0.5))
    let rest = limited - Double(power) * ln2
    return polynomial(taylor, rest) * Double(bitPattern: UInt64(power + 1_023) << 52)
  }

  /// Evaluates a polynomial by Horner's rule, the highest power first.
  private static func polynomial(_ coefficients: [Double], _ variable: Double) -> Double {
    var sum = 0.0
    for coefficient in coefficients { sum = sum * variable + coefficient }
    return sum
  }

  private static let ln2 = 0.693_147_180_559_945_309_4
  private static let artanh: [Double] = stride(from: 23, through: 1, by: -2).map { 1 / Double($0) }
  private static let taylor: [Double] = stride(from: 16, through: 0, by: -1).map { last in
    1 / (1...max(last, 1)).reduce(1.0) { $0 * Double($1) }
  }

  private static let centralTop: [Double] = [
    2.5090809287301226727e3, 3.3430575583588128105e4, 6.7265770927008700853e4, 4.5921953931549871457e4,
    1.3731693765509461125e4, 1.9715909503065514427e3, 1.3314166789178437745e2, 3.3871328727963666080,
  ]
  private static let centralBottom: [Double] = [
    5.2264952788528545610e3, 2.8729085735721942674e4, 3.9307895800092710610e4, 2.1213794301586595867e4,
    5.3941960214247511077e3, 6.8718700749205790830e2, 4.2313330701600911252e1, 1,
  ]
  private static let middleTop: [Double] = [
    7.74545014278341407640e-4, 2.27238449892691845833e-2, 2.41780725177450611770e-1, 1.27045825245236838258,
    3.64784832476320460504, 5.76949722146069140550, 4.63033784615654529590, 1.42343711074968357734,
  ]
  private static let middleBottom: [Double] = [
    1.05075007164441684324e-9, 5.47593808499534494600e-4, 1.51986665636164571966e-2, 1.48103976427480074590e-1,
    6.89767334985100004550e-1, 1.67638483018380384940, 2.05319162663775882187, 1,
  ]
  private static let farTop: [Double] = [
    2.01033439929228813265e-7, 2.71155556874348757815e-5, 1.24266094738807843860e-3, 2.65321895265761230930e-2,
    2.96560571828504891230e-1, 1.78482653991729133580, 5.46378491116411436990, 6.65790464350110377720,
  ]
  private static let farBottom: [Double] = [
    2.04426310338993978564e-15, 1.42151175831644588870e-7, 1.84631831751005468180e-5, 7.86869131145613259100e-4,
    1.48753612908506148525e-2, 1.36929880922735805310e-1, 5.99832206555887937690e-1, 1,
  ]
}
