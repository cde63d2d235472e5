/// The commit from which this program was built. `.ci/release/package` replaces this file in the copy that it builds; in a
/// checkout the commit is nil.
enum Revision {
  static let commit: String? = nil
}
