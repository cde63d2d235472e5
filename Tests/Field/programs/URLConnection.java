import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URL;
import java.nio.charset.StandardCharsets;

/** HttpURLConnection of the JDK. */
class URLConnection {
    public static void main(String[] arguments) {
        Walk.walk((method, url, content, fields) -> {
            HttpURLConnection connection = (HttpURLConnection) new URL(url).openConnection();
            connection.setRequestMethod(method);
            fields.forEach(connection::setRequestProperty);
            if (content != null) {
                connection.setDoOutput(true);
                connection.getOutputStream().write(content.getBytes(StandardCharsets.UTF_8));
            }
            try (InputStream stream = connection.getInputStream()) {
                return stream.readAllBytes();
            }
        });
    }
}
