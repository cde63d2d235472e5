package import Primitives

extension API {
  /// The API of a backend of which only RFC 9110 is known: one operation for each method, on any path, and further ones
  /// for requests whose meaning a file declares.
  ///
  /// Every operation has the whole path as its only argument, which names the record.
  package struct Generic: Sendable {
    package let api: API

    /// The declared meaning of requests.
    package struct Declaration: Sendable {
      package let effect: Effect
      /// The name in lower case of the field that identifies a logical write.
      package let keyField: String

      /// The effect of a request on what its path names.
      package enum Effect: String, Sendable, CaseIterable {
        /// It changes nothing, whatever its method.
        case read
        /// It replaces what the path names, so repeating it changes nothing more.
        case set
        /// Each request adds something.
        case add
      }

      package init(_ effect: Effect, keyField: String) {
        self.effect = effect
        self.keyField = keyField
      }
    }

    /// - Parameter declarations: The declared meanings; their operations follow those of the methods, in this order.
    package init(named name: String = "upstream", _ declarations: [Declaration] = []) {
      let methods = Self.methods.map { method in Self.operation("upstream.\(method.rawValue)", method) }
      let unknown = Self.operation("upstream.other", .post)
      let declared = declarations.enumerated().map { index, declaration in
        Self.operation("upstream.\(index + 1)", declaration)
      }
      api = API(
        name: name, title: "Your backend", about: "The backend in front of which this server stands.",
        operations: methods + [unknown] + declared, data: .any)
    }

    /// The template of every path.
    static let path: PathTemplate = "/{path}"

    /// HEAD is performed as GET.
    private static let methods = Method.allCases.filter { $0 != .connect && $0 != .head }

    /// Returns the index of the operation of a method of which nothing is declared; nil stands for an unknown method. HEAD
    /// must be given as GET.
    package func operation(of method: Method?) -> Int {
      method.flatMap(Self.methods.firstIndex) ?? Self.methods.count
    }

    /// Returns the index of the operation of a declaration.
    package func operation(ofDeclaration index: Int) -> Int { Self.methods.count + 1 + index }

    /// Returns true if a file declares what an operation does.
    package func isDeclared(_ operation: Int) -> Bool { operation > Self.methods.count }

    /// RFC 9110 section 9.2: safe methods read; PUT, DELETE and, as most APIs have it, PATCH set what the path names; every
    /// other method may add something each time.
    private static func operation(_ id: String, _ method: Method) -> Operation {
      let effect: Operation.Effect =
        method.isSafe
        ? .reads(.path) : [.put, .patch, .delete].contains(method) ? .sets(.path).assumed : .adds(to: .path).assumed
      return operation(id, method, effect)
    }

    private static func operation(_ id: String, _ declaration: Declaration) -> Operation {
      switch declaration.effect {
      case .read: operation(id, .get, .reads(.path))
      case .set: operation(id, .put, .sets(.path).keyed(by: declaration.keyField))
      case .add: operation(id, .post, .adds(to: .path).keyed(by: declaration.keyField))
      }
    }

    private static func operation(_ id: String, _ method: Method, _ effect: Operation.Effect) -> Operation {
      Operation(
        id, method, path, semantics: method.isSafe ? .changesNothing() : .changesState(), caching: .untagged(),
        effect: effect, documentation: .init(summary: "A request to the backend", responses: []))
    }
  }
}
