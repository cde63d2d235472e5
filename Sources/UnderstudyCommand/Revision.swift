/// The commit that this program was built from. `.ci/package` replaces this file in the copy that it builds; a build from a checkout
/// knows none.
enum Revision {
  static let commit: String? = nil
}
