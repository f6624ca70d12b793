import java.io.IOException;
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
  static final OkHttpClient patient = new OkHttpClient.Builder().addInterceptor(OkHttp::patiently).build();

  static Response patiently(Interceptor.Chain chain) throws IOException {
    for (int attempt = 1;; attempt++) {
      var response = chain.proceed(chain.request());
      if (attempt == 5 || !Patience.isWorthWaiting(response.code(), response::header)) return response;
      response.close();
      try {
        Thread.sleep(1000 * Patience.askedWait(response::header));
      } catch (InterruptedException e) {
        throw new IOException(e);
      }
    }
  }
  // end
}
