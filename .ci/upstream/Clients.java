import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.net.HttpURLConnection;
import java.net.ProtocolException;
import java.net.URI;
import java.net.URL;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/**
 * Makes the calls of a table with a client of the JDK, and prints what came back: Clients CLIENT URL TABLE. clients.py says how a
 * line looks.
 */
class Clients {
  record Call(String name, String method, String url, List<String[]> fields, int size, boolean isChunked) {
    Call(String line, String base) {
      this(line.split("\t", -1), base);
    }

    private Call(String[] parts, String base) {
      this(parts[0], parts[1], base + parts[2], fields(parts[3]), Integer.parseInt(parts[4]), parts[5].equals("chunked"));
    }

    private static List<String[]> fields(String text) {
      List<String[]> fields = new ArrayList<>();
      if (!text.isEmpty()) for (String field : text.split("\u001f")) fields.add(field.split(": ", 2));
      return fields;
    }

    byte[] content() {
      byte[] bytes = new byte[size];
      for (int i = 0; i < size; i++) bytes[i] = (byte) (i * 31L % 251);
      return bytes;
    }
  }

  private static PrintStream output;
  private static final HttpClient client = HttpClient.newHttpClient();

  private static void print(Call call, String status, Map<String, List<String>> fields, byte[] content) {
    List<String> lines = new ArrayList<>();
    fields.forEach((name, values) -> {
      // The status line has no name.
      if (name != null) for (String value : values) lines.add(name + ": " + value);
    });
    output.println(String.join("\t", call.name, status, String.join("\u001f", lines), HexFormat.of().formatHex(content)));
  }

  private static void sendByHttpClient(Call call) throws Exception {
    var body =
      call.size < 0 ? BodyPublishers.noBody()
        : call.isChunked ? BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(call.content()))
        : BodyPublishers.ofByteArray(call.content());
    var request = HttpRequest.newBuilder(URI.create(call.url)).method(call.method, body);
    for (String[] field : call.fields) request.header(field[0], field[1]);
    var response = client.send(request.build(), BodyHandlers.ofByteArray());
    print(call, "" + response.statusCode(), response.headers().map(), response.body());
  }

  private static void sendByURLConnection(Call call) throws Exception {
    var connection = (HttpURLConnection) new URL(call.url).openConnection();
    connection.setInstanceFollowRedirects(false);
    try {
      connection.setRequestMethod(call.method);
    } catch (ProtocolException unknownMethod) {
      print(call, "impossible", Map.of(), new byte[0]);
      return;
    }
    for (String[] field : call.fields) connection.addRequestProperty(field[0], field[1]);
    if (call.size >= 0) {
      connection.setDoOutput(true);
      if (call.isChunked) connection.setChunkedStreamingMode(4_096); else connection.setFixedLengthStreamingMode(call.size);
      try (var stream = connection.getOutputStream()) { stream.write(call.content()); }
    }
    int status = connection.getResponseCode();
    InputStream stream = status >= 400 ? connection.getErrorStream() : connection.getInputStream();
    print(call, "" + status, connection.getHeaderFields(), stream == null ? new byte[0] : stream.readAllBytes());
  }

  public static void main(String[] words) throws Exception {
    output = new PrintStream(System.out, true, "UTF-8");
    for (String line : Files.readAllLines(Path.of(words[2]))) {
      Call call = new Call(line, words[1]);
      if (words[0].equals("java.net.http")) sendByHttpClient(call); else sendByURLConnection(call);
    }
  }
}
