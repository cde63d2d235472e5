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
      /// `reads`, `sets` or `adds`.
      package let effect: Operation.Effect.Kind
      /// The operation's name.
      package let name: String?
      /// The part of a request that identifies a logical write, as it is declared.
      package let key: String?

      package init(_ effect: Operation.Effect.Kind, name: String? = nil, key: String? = nil) {
        self.effect = effect
        self.name = name
        self.key = key
      }
    }

    /// - Parameter declarations: The declared meanings; their operations follow those of the methods, in this order.
    package init(named name: String = "upstream", _ declarations: [Declaration] = []) {
      let known = Self.methods.map { method in
        Self.operation("upstream.\(method.rawValue)", method, assuming: Self.kind(of: RegisteredMethod(method)))
      }
      let others = Self.kindsOfOtherMethods.map { Self.operation("upstream.other.\($0)", nil, assuming: $0) }
      let declared = declarations.enumerated().map { index, declaration in
        Self.operation("upstream.\(index + 1)", declaration)
      }
      api = API(
        name: name, title: "Your backend", about: "The backend in front of which this server stands.",
        operations: known + others + declared, data: .any)
    }

    /// The template of every path.
    static let path: PathTemplate = "/{path}"

    /// HEAD is performed as GET.
    private static let methods = Method.allCases.filter { $0 != .connect && $0 != .head }

    private static let kindsOfOtherMethods: [Operation.Effect.Kind] = [.adds, .reads, .sets]
    private static let undeclaredCount = methods.count + kindsOfOtherMethods.count

    /// Returns the index of the operation of a method of which nothing is declared. HEAD must be given as GET.
    ///
    /// - Parameter name: The method as in the request line.
    package func operation(of method: Method?, _ name: String) -> Int {
      if let known = method.flatMap(Self.methods.firstIndex) { return known }
      let kind = Self.kind(of: RegisteredMethod.named(name))
      return Self.methods.count + (Self.kindsOfOtherMethods.firstIndex(of: kind) ?? 0)
    }

    /// Returns the index of the operation of a declaration.
    package func operation(ofDeclaration index: Int) -> Int { Self.undeclaredCount + index }

    /// Returns true if a file declares what an operation does.
    package func isDeclared(_ operation: Int) -> Bool { operation >= Self.undeclaredCount }

    /// RFC 9110 section 9: OPTIONS and TRACE are about the communication; other safe methods read; idempotent ones and, as
    /// most APIs have it, PATCH set what the path names; every other method, and one that is not registered, may add
    /// something each time.
    private static func kind(of method: RegisteredMethod?) -> Operation.Effect.Kind {
      guard let method else { return .adds }
      switch Method(rawValue: method.name) {
      case .options, .trace: return .none
      case .patch: return .sets
      default: return method.isSafe ? .reads : method.isIdempotent ? .sets : .adds
      }
    }

    private static func operation(
      _ id: String, _ method: Method?, assuming kind: Operation.Effect.Kind
    ) -> Operation {
      let method = method ?? self.method(of: kind)
      let effect = effect(kind).keyed(by: nil)
      return operation(id, method, method.isSafe ? effect : effect.assumed)
    }

    private static func operation(_ id: String, _ declaration: Declaration) -> Operation {
      operation(
        id, method(of: declaration.effect), effect(declaration.effect).keyed(by: declaration.key),
        name: declaration.name)
    }

    /// Returns a method that means what requests of a kind do.
    private static func method(of kind: Operation.Effect.Kind) -> Method {
      switch kind {
      case .reads, .none: .get
      case .sets: .put
      case .adds: .post
      }
    }

    private static func effect(_ kind: Operation.Effect.Kind) -> Operation.Effect {
      switch kind {
      case .none: .none
      case .reads: .reads(.path)
      case .sets: .sets(.path)
      case .adds: .adds(to: .path)
      }
    }

    private static func operation(
      _ id: String, _ method: Method, _ effect: Operation.Effect, name: String? = nil
    ) -> Operation {
      Operation(
        id, method, path, semantics: method.isSafe ? .changesNothing() : .changesState(), caching: .untagged(),
        effect: effect, documentation: .init(summary: "A request to the backend", responses: []), name: name)
    }
  }
}
