import Contract

/// The acting half of the control API.
struct ControlBehaviour {
  func respond(to call: Call, in sandbox: Sandbox, of backend: Backend) -> Reply { Reply(501) }
}
