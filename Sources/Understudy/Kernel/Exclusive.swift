/// An object that one thread at a time uses: threads pass it on together with the work that needs it.
struct Exclusive<Object: AnyObject>: @unchecked Sendable {
  let object: Object
}
