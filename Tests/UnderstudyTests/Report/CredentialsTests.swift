import Report
import Testing

@Suite("Credentials")
struct CredentialsTests {
  private static func hash(_ text: String) -> UInt64 { Credentials.hash(Array(text.utf8)[...]) }

  @Test(
    "are the same, however often they are signed, if they name the same owner",
    arguments: [
      ("AWS4-HMAC-SHA256 Credential=me/20260102/eu/s3/aws4_request, SignedHeaders=host, Signature=1", "Signature=1"),
      (#"OAuth oauth_token="a", oauth_nonce="1", oauth_timestamp="17", oauth_signature="2""#, #"nonce="1""#),
      (#"OAuth oauth_token="a", oauth_nonce="1", oauth_timestamp="17", oauth_signature="2""#, #"timestamp="17""#),
      (#"Hawk id="me", ts="17", nonce="x", mac="y""#, #"nonce="x""#),
      (#"Digest username="me", nonce="1", nc=00000001, response="2""#, #"response="2""#),
      (#"Digest username="me", nonce="1", nc=00000001, response="2""#, "nc=00000001"),
    ])
  func signedAnew(credentials: String, part: String) {
    let name = part.prefix { $0 != "=" }
    #expect(Self.hash(credentials) == Self.hash(credentials.replacing(part, with: "\(name)=other")))
  }

  @Test(
    "differ if they name another owner, or have another secret of the server's",
    arguments: [
      ("AWS4-HMAC-SHA256 Credential=me/20260102/eu/s3/aws4_request, Signature=1", "=me/"),
      (#"OAuth oauth_token="a", oauth_nonce="1""#, #"token="a""#),
      (#"Digest username="me", nonce="1", response="2""#, #"nonce="1""#),
      ("Bearer old", "old"), ("Basic bWU6MQ==", "bWU6"),
    ])
  func others(credentials: String, part: String) {
    #expect(Self.hash(credentials) != Self.hash(credentials.replacing(part, with: "=other")))
  }
}
