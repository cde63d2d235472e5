import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;

/** HttpClient of the JDK. */
class JDKClient {
    public static void main(String[] arguments) {
        HttpClient client = HttpClient.newHttpClient();
        Walk.walk((method, url, content, fields) -> {
            HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url))
                .method(method, content == null ? BodyPublishers.noBody() : BodyPublishers.ofString(content));
            fields.forEach(request::header);
            HttpResponse<byte[]> response = client.send(request.build(), BodyHandlers.ofByteArray());
            Walk.requireSuccess(response.statusCode());
            return response.body();
        });
    }
}
