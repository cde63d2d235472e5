extension Effect.Kind {
  package static let captivePortal = Effect.Kind(
    plain: "captive-portal",
    Page(
      "The log-in page of a hotel's network instead of the backend's response.",
      wire: "Status 200 with a `text/html` page, for any request.",
      limit: "It is a page, not a redirect. A response to HEAD has only the page's fields.",
      example: #"{"fault": "captive-portal"}"#)
  ) { .damage(.captivePortal) }
}

extension BodyFault {
  package static let captivePortal: BodyFault = BodyFault(.captivePortal) { _, _ in
    var page = Content(Array(CaptivePortal.page.utf8), .html)
    page.isOtherMessage = true
    return page
  }
}

/// The page of a captive portal.
package enum CaptivePortal {
  /// The response of a hotel's network instead of the backend's; it does not depend on the client.
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
