import Foundation
import LiveTesting

@testable import UnderstudyClient

/// A stand-in for a real service on a port of this machine: it sends recorded responses, byte for byte.
final class StandIn: Sendable {
  private let listener: BoundListener

  /// - Parameter answer: Returns the bytes of the response to a method and a path.
  init(_ answer: @escaping @Sendable (String, String) -> [UInt8]) throws {
    listener = try BoundListener()
    listener.serve { link in
      link.receive()
      let words = String(decoding: link.received, as: UTF8.self).split(separator: " ", maxSplits: 2)
      if words.count == 3 { link.send(answer(String(words[0]), String(words[1]))) }
    }
  }

  /// Ends the service.
  func shut() { listener.shut() }

  var url: URL { get throws { try UnderstudyClientTests.url("http://127.0.0.1:\(listener.port)") } }

  /// Returns a response that ends its connection.
  static func response(_ status: String, _ fields: [String], _ body: String) -> [UInt8] {
    let head = ["HTTP/1.1 \(status)"] + fields + ["Content-Length: \(body.utf8.count)", "Connection: close"]
    return Array((head.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
  }
}

extension StandIn {
  /// The static pages of the booking service: GET of two files, and 405 for everything that is no GET.
  static func staticPages() throws -> StandIn {
    try StandIn { method, path in
      let json = [
        "Server: GitHub.com", "Content-Type: application/json; charset=utf-8", "Cache-Control: max-age=600",
        "ETag: \"600fe9a2-77f\"", "Access-Control-Allow-Origin: *",
      ]
      switch (method, path) {
      case ("GET", "/rooms.json"): return response("200 OK", json, rooms)
      case ("GET", "/bookRoom.json"): return response("200 OK", json, "{\n  \"success\": true\n}\n")
      case ("GET", _):
        return response("404 Not Found", ["Server: GitHub.com", "Content-Type: text/html; charset=utf-8"], page(404))
      default: return response("405 Not Allowed", ["Server: GitHub.com", "Content-Type: text/html"], page(405))
      }
    }
  }

  private static func page(_ status: Int) -> String {
    "<html>\r\n<head><title>\(status)</title></head>\r\n<body>\r\n<center><h1>\(status)</h1></center>\r\n</body>\r\n</html>\r\n"
  }

  /// The list of rooms as the service sends it: a byte order mark, then JSON in this layout.
  static let rooms: String = {
    let rows = [
      ("Ljerka", 43, "1571624436279-b272aff752b5", 1504), ("Mostafa", 4, "1497366858526-0766cadbe8fa", 1500),
      ("Helmold", 86, "1539872209618-fb1770aa6ff8", 1251), ("Painter", 16, "1540760029765-138c8f6d2eac", 634),
      ("Septima", 84, "1455994972514-4624f7f224a7", 1267), ("Alexis", 0, "1504384308090-c894fdcc538d", 1500),
      ("Yana", 34, "1498409785966-ab341407de6e", 1520), ("Mina", 39, "1601762429744-46fe92ccd903", 634),
    ]
    let rooms = rows.map { name, spots, photo, width in
      """
          {
            "name": "\(name)",
            "spots": \(spots),
            "thumbnail": "https://images.unsplash.com/photo-\(photo)?ixlib=rb-1.2.1&auto=format&fit=crop&w=\(width)&q=80"
          }
      """
    }
    return "\u{FEFF}{\n  \"rooms\": [\n" + rooms.joined(separator: ",\n") + "\n  ]\n}"
  }()
}
