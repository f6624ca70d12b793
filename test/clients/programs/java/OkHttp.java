import java.io.IOException;
import java.time.Duration;
import okhttp3.Interceptor;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;

class OkHttp {
  static int send(OkHttpClient http, String method, String url, String pet) throws IOException {
    var body = pet == null ? null : RequestBody.create(MediaType.get("application/json"), pet);
    var request = new Request.Builder().url(url).method(method, body)
        .header("Authorization", "Bearer " + System.getenv("PETSTORE_API_KEY")).build();
    try (var response = http.newCall(request).execute()) {
      return response.code();
    }
  }

  static int byDefault(String method, String url, String pet) throws IOException {
    return send(new OkHttpClient(), method, url, pet);
  }

  static int setRight(String method, String url, String pet) throws IOException {
    return send(patient, method, url, pet);
  }

  // doc: set right
  static final OkHttpClient patient = new OkHttpClient.Builder()
      .readTimeout(Duration.ofSeconds(30)).addInterceptor(chain -> patiently(chain)).build();

  static Response patiently(Interceptor.Chain chain) throws IOException {
    for (int attempt = 1;; attempt++) {
      long delay;
      try {
        var response = chain.proceed(chain.request());
        response.peekBody(Long.MAX_VALUE); // a response that breaks off is an error
        delay = Patience.retryDelay(
          attempt, chain.request().method(), response.code(), response::header);
        if (delay < 0) return response;
        response.close();
      } catch (IOException e) {
        delay = Patience.retryDelay(attempt, chain.request().method(), 0, Patience.NO_HEADERS);
        if (delay < 0) throw e;
      }
      try {
        Thread.sleep(delay);
      } catch (InterruptedException e) {
        throw new IOException(e);
      }
    }
  }
  // end
}

// doc: whole
//| import java.io.IOException;
//| import java.time.Duration;
//| import okhttp3.Interceptor;
//| import okhttp3.OkHttpClient;
//| import okhttp3.Request;
//| import okhttp3.Response;
//|
//| class Main {
//|   <set right>
//|
//|   public static void main(String[] args) throws Exception {
//|     var request = new Request.Builder()
//|       .url(System.getenv("PETSTORE_BASE_URL") + "/pets")
//|       .header("Authorization", "Bearer " + System.getenv("PETSTORE_API_KEY"))
//|       .build();
//|     try (var response = patient.newCall(request).execute()) {
//|       var status = response.code();
//|       if (status >= 400) throw new IllegalStateException("the service answered " + status);
//|     }
//|   }
//| }
// end
