import Foundation
import Understudy
import UnderstudyClient
import UnderstudyInMemory

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Returns a session whose server's delays take no real time.
func session(_ scenario: String = "calm", seed: UInt64 = 1) throws -> URLSession {
  URLSession(configuration: try .understudy(scenario: scenario, seed: seed, clock: ClientClock(VirtualClock())))
}

func request(_ method: String, _ address: String, _ body: String? = nil) throws -> URLRequest {
  var request = URLRequest(url: try url(address))
  request.httpMethod = method
  request.httpBody = body.map { Data($0.utf8) }
  return request
}

func text(_ session: URLSession, _ request: URLRequest) async throws -> (status: Int?, body: String) {
  let (data, response) = try await session.data(for: request)
  return ((response as? HTTPURLResponse)?.statusCode, String(decoding: data, as: UTF8.self))
}
