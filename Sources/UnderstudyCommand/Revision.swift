/// The commit from which this program was built. `.ci/package` replaces this file in the copy that it builds; a build
/// from a checkout has none.
enum Revision {
  static let commit: String? = nil
}
