/// An object that one thread at a time uses: threads hand it to each other with the work that needs it.
struct Exclusive<Object: AnyObject>: @unchecked Sendable {
  let object: Object
}
