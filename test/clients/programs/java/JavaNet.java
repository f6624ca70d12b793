import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.function.UnaryOperator;

class JavaNet {
  static final HttpClient http = HttpClient.newHttpClient();

  static HttpRequest request(String method, String url, String pet) {
    var body = pet == null ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(pet);
    return HttpRequest.newBuilder(URI.create(url)).method(method, body)
        .header("Authorization", "Bearer " + System.getenv("PETSTORE_API_KEY")).header("Content-Type", "application/json").build();
  }

  static int byDefault(String method, String url, String pet) throws Exception {
    return http.send(request(method, url, pet), HttpResponse.BodyHandlers.ofString()).statusCode();
  }

  static int setRight(String method, String url, String pet) throws Exception {
    return patiently(request(method, url, pet)).statusCode();
  }

  // doc: set right
  static HttpResponse<String> patiently(HttpRequest request) throws Exception {
    var limited = HttpRequest.newBuilder(request, (name, value) -> true)
      .timeout(Duration.ofSeconds(30))
      .build();
    for (int attempt = 1;; attempt++) {
      long delay;
      try {
        var response = http.send(limited, HttpResponse.BodyHandlers.ofString());
        UnaryOperator<String> field = name -> response.headers().firstValue(name).orElse(null);
        delay = Patience.retryDelay(attempt, request.method(), response.statusCode(), field);
        if (delay < 0) return response;
      } catch (IOException e) {
        delay = Patience.retryDelay(attempt, request.method(), 0, Patience.NO_HEADERS);
        if (delay < 0) throw e;
      }
      Thread.sleep(delay);
    }
  }
  // end
}

// doc: whole
//| import java.io.IOException;
//| import java.net.URI;
//| import java.net.http.HttpClient;
//| import java.net.http.HttpRequest;
//| import java.net.http.HttpResponse;
//| import java.time.Duration;
//| import java.util.function.UnaryOperator;
//|
//| class Main {
//|   static final HttpClient http = HttpClient.newHttpClient();
//|
//|   <set right>
//|
//|   public static void main(String[] args) throws Exception {
//|     var request = HttpRequest.newBuilder(URI.create(System.getenv("PETSTORE_BASE_URL") + "/pets"))
//|       .header("Authorization", "Bearer " + System.getenv("PETSTORE_API_KEY"))
//|       .build();
//|     var status = patiently(request).statusCode();
//|     if (status >= 400) throw new IllegalStateException("the service answered " + status);
//|   }
//| }
// end
