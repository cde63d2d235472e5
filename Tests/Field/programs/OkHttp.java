import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;

/** OkHttp. */
class OkHttp {
    public static void main(String[] arguments) {
        OkHttpClient client = new OkHttpClient();
        Walk.walk((method, url, content, fields) -> {
            Request.Builder request = new Request.Builder().url(url).method(method, content == null ? null : RequestBody.create(null, content));
            fields.forEach(request::header);
            try (Response response = client.newCall(request.build()).execute()) {
                Walk.requireSuccess(response.code());
                return response.body().bytes();
            }
        });
    }
}
