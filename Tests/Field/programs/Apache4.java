import org.apache.http.HttpResponse;
import org.apache.http.client.methods.RequestBuilder;
import org.apache.http.entity.StringEntity;
import org.apache.http.impl.client.CloseableHttpClient;
import org.apache.http.impl.client.HttpClients;
import org.apache.http.util.EntityUtils;

/** Apache HttpClient 4. */
class Apache4 {
    public static void main(String[] arguments) {
        CloseableHttpClient client = HttpClients.createDefault();
        Walk.walk((method, url, content, fields) -> {
            RequestBuilder request = RequestBuilder.create(method).setUri(url);
            if (content != null) request.setEntity(new StringEntity(content));
            fields.forEach(request::setHeader);
            HttpResponse response = client.execute(request.build());
            byte[] received = EntityUtils.toByteArray(response.getEntity());
            Walk.requireSuccess(response.getStatusLine().getStatusCode());
            return received;
        });
    }
}
