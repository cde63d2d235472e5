import JSON

/// A 200 that is not the backend's: the log-in page of a hotel's network.
package struct CaptivePortal: FateEffect {
  static let kind = Effect.Kind.captivePortal

  package init() {}
  init(_ reader: Reader) throws(Violation) {}

  var effect: Effect { .captivePortal(self) }
  var fate: Fate { .damage(.captivePortal) }
}

extension CaptivePortal {
  /// What a hotel's network says in the backend's place: it has no way to know that nobody looks at it.
  package static let page = """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Grand Hotel Meridian: Guest Wi-Fi</title>
    </head>
    <body>
    <h1>Welcome to the Grand Hotel Meridian</h1>
    <p>To use our guest network, please tell us your room number and surname.</p>
    <form method="post" action="http://wifi.meridian.example/login">
    <label>Room <input name="room" inputmode="numeric" required></label>
    <label>Surname <input name="surname" autocomplete="family-name" required></label>
    <label><input type="checkbox" name="terms" required> I accept the terms of use.</label>
    <button>Connect</button>
    </form>
    <p>Breakfast is served from 7 to 10 in the Orangery.</p>
    </body>
    </html>

    """
}
