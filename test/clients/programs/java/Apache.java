import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.apache.hc.client5.http.HttpRequestRetryStrategy;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.io.SocketConfig;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.apache.hc.core5.http.io.entity.StringEntity;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.apache.hc.core5.util.TimeValue;

class Apache {
  static int send(CloseableHttpClient http, String method, String url, String pet) throws IOException {
    var request = new HttpUriRequestBase(method, java.net.URI.create(url));
    request.setHeader("Authorization", "Bearer " + System.getenv("PETSTORE_API_KEY"));
    if (pet != null) request.setEntity(new StringEntity(pet, ContentType.APPLICATION_JSON));
    return http.execute(request, response -> {
      EntityUtils.consume(response.getEntity());
      return response.getCode();
    });
  }

  static int byDefault(String method, String url, String pet) throws IOException {
    return send(HttpClients.createDefault(), method, url, pet);
  }

  static int setRight(String method, String url, String pet) throws IOException {
    return send(patient, method, url, pet);
  }

  // doc: set right
  static class Patient implements HttpRequestRetryStrategy {
    public boolean retryRequest(
        HttpRequest request, IOException exception, int count, HttpContext context) {
      return Patience.retryDelay(count, request.getMethod(), 0, Patience.NO_HEADERS) >= 0;
    }

    public TimeValue getRetryInterval(
        HttpRequest request, IOException exception, int count, HttpContext context) {
      var delay = Patience.retryDelay(count, request.getMethod(), 0, Patience.NO_HEADERS);
      return TimeValue.ofMilliseconds(delay);
    }

    public boolean retryRequest(HttpResponse response, int count, HttpContext context) {
      return delay(response, count, context) >= 0;
    }

    public TimeValue getRetryInterval(HttpResponse response, int count, HttpContext context) {
      return TimeValue.ofMilliseconds(delay(response, count, context));
    }

    private static long delay(HttpResponse response, int count, HttpContext context) {
      UnaryOperator<String> field =
          name -> response.containsHeader(name) ? response.getFirstHeader(name).getValue() : null;
      var method = HttpClientContext.adapt(context).getRequest().getMethod();
      return Patience.retryDelay(count, method, response.getCode(), field);
    }
  }

  // Not a response timeout: that bounds the wait as well.
  static final SocketConfig limit =
    SocketConfig.custom().setSoTimeout(30, TimeUnit.SECONDS).build();
  static final CloseableHttpClient patient = HttpClients.custom().setRetryStrategy(new Patient())
      .setConnectionManager(
        PoolingHttpClientConnectionManagerBuilder.create().setDefaultSocketConfig(limit).build())
      .build();
  // end
}

// doc: whole
//| import java.io.IOException;
//| import java.net.URI;
//| import java.util.concurrent.TimeUnit;
//| import java.util.function.UnaryOperator;
//| import org.apache.hc.client5.http.HttpRequestRetryStrategy;
//| import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
//| import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
//| import org.apache.hc.client5.http.impl.classic.HttpClients;
//| import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
//| import org.apache.hc.client5.http.protocol.HttpClientContext;
//| import org.apache.hc.core5.http.HttpRequest;
//| import org.apache.hc.core5.http.HttpResponse;
//| import org.apache.hc.core5.http.io.SocketConfig;
//| import org.apache.hc.core5.http.protocol.HttpContext;
//| import org.apache.hc.core5.util.TimeValue;
//|
//| class Main {
//|   <set right>
//|
//|   public static void main(String[] args) throws Exception {
//|     var url = URI.create(System.getenv("PETSTORE_BASE_URL") + "/pets");
//|     var request = new HttpUriRequestBase("GET", url);
//|     request.setHeader("Authorization", "Bearer " + System.getenv("PETSTORE_API_KEY"));
//|     int status = patient.execute(request, response -> response.getCode());
//|     if (status >= 400) throw new IllegalStateException("the service answered " + status);
//|   }
//| }
// end
