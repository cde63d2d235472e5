import Primitives

extension Method {
  /// Returns the method with exactly this spelling, or nil.
  ///
  /// - Parameter letters: The last eight letters as one number, because integers compare faster than text.
  init?(letters: UInt64) {
    switch letters {
    case 0x47_45_54: self = .get
    case 0x48_45_41_44: self = .head
    case 0x50_4F_53_54: self = .post
    case 0x50_55_54: self = .put
    case 0x50_41_54_43_48: self = .patch
    case 0x44_45_4C_45_54_45: self = .delete
    case 0x4F_50_54_49_4F_4E_53: self = .options
    case 0x43_4F_4E_4E_45_43_54: self = .connect
    case 0x54_52_41_43_45: self = .trace
    default: return nil
    }
  }
}
