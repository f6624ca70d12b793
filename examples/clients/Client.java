import java.net.URI;
import java.net.http.*;
import java.time.*;
import java.time.format.DateTimeFormatter;
import java.util.concurrent.*;

/** PETSTORE_CALLS calls with java.net.http; exit code 1 when one fails for good. Run it with `java Client.java`. */
class Client {
  static final HttpClient http = HttpClient.newHttpClient();

  static Void call(int number) throws Exception {
    var builder = HttpRequest.newBuilder(URI.create(System.getenv("PETSTORE_BASE_URL") + "/pets")).timeout(Duration.ofSeconds(30))
        .header("Authorization", "Bearer " + System.getenv("PETSTORE_API_KEY")).header("Content-Type", "application/json");
    var pet = "{\"name\": \"Pet " + ProcessHandle.current().pid() + "-" + number + "\", \"categoryId\": 1}";
    var request = System.getenv("PETSTORE_OPERATION").equals("createPet")
        ? builder.POST(HttpRequest.BodyPublishers.ofString(pet)).build() : builder.GET().build();
    for (int attempt = 1;; attempt++) {
      var response = http.send(request, HttpResponse.BodyHandlers.ofString());
      if (response.statusCode() < 400) return null;
      if (response.statusCode() != 429 || attempt == 5) throw new IllegalStateException("status " + response.statusCode());
      var headers = response.headers();
      var sent = ZonedDateTime.parse(headers.firstValue("Date").get(), DateTimeFormatter.RFC_1123_DATE_TIME).toEpochSecond();
      var seconds = headers.firstValueAsLong("Retry-After").orElse(headers.firstValueAsLong("X-RateLimit-Reset").orElse(sent + 60) - sent);
      Thread.sleep(seconds * 1000 + (long) (Math.random() * (100 << attempt)));
    }
  }

  public static void main(String[] args) throws Exception {
    var callers = Executors.newFixedThreadPool(Integer.parseInt(System.getenv("PETSTORE_PARALLEL")));
    var calls = new java.util.ArrayList<Callable<Void>>();
    for (int n = 0; n < Integer.parseInt(System.getenv("PETSTORE_CALLS")); n++) { int number = n; calls.add(() -> call(number)); }
    int failed = 0;
    for (var result : callers.invokeAll(calls)) try { result.get(); } catch (ExecutionException e) { System.err.println(e); failed = 1; }
    System.exit(failed);
  }
}
