import java.io.IOException;
import java.util.function.UnaryOperator;
import org.apache.hc.client5.http.HttpRequestRetryStrategy;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.io.entity.StringEntity;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.apache.hc.core5.util.TimeValue;

class Apache {
  static int send(CloseableHttpClient http, String method, String url, String pet) throws IOException {
    var request = new HttpUriRequestBase(method, java.net.URI.create(url));
    request.setHeader("Authorization", "Bearer " + System.getenv("PETSTORE_API_KEY"));
    if (pet != null) request.setEntity(new StringEntity(pet, ContentType.APPLICATION_JSON));
    return http.execute(request, response -> response.getCode());
  }

  static int byDefault(String method, String url, String pet) throws IOException {
    return send(HttpClients.createDefault(), method, url, pet);
  }

  static int setRight(String method, String url, String pet) throws IOException {
    return send(HttpClients.custom().setRetryStrategy(new Patient()).build(), method, url, pet);
  }

  // doc: set right
  static class Patient implements HttpRequestRetryStrategy {
    public boolean retryRequest(HttpRequest request, IOException exception, int count, HttpContext context) {
      return false;
    }

    public boolean retryRequest(HttpResponse response, int count, HttpContext context) {
      return count <= 4 && Patience.isWorthWaiting(response.getCode(), field(response));
    }

    public TimeValue getRetryInterval(HttpResponse response, int count, HttpContext context) {
      return TimeValue.ofSeconds(Patience.askedWait(field(response)));
    }

    private static UnaryOperator<String> field(HttpResponse response) {
      return name -> response.getFirstHeader(name) == null ? null : response.getFirstHeader(name).getValue();
    }
  }
  // HttpClients.custom().setRetryStrategy(new Patient()).build()
  // end
}
