import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.apache.hc.core5.http.io.entity.StringEntity;
import org.apache.hc.core5.http.io.support.ClassicRequestBuilder;

/** Apache HttpClient 5. */
class Apache5 {
    public static void main(String[] arguments) {
        CloseableHttpClient client = HttpClients.createDefault();
        Walk.walk((method, url, content, fields) -> {
            ClassicRequestBuilder request = ClassicRequestBuilder.create(method).setUri(url);
            if (content != null) request.setEntity(new StringEntity(content));
            fields.forEach(request::setHeader);
            return client.execute(request.build(), response -> {
                byte[] received = EntityUtils.toByteArray(response.getEntity());
                Walk.requireSuccess(response.getCode());
                return received;
            });
        });
    }
}
