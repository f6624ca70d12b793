import java.net.URI;
import java.net.http.*;
import java.time.*;
import java.time.format.DateTimeFormatter;
import java.util.concurrent.*;
import java.util.stream.IntStream;

/** Makes PETSTORE_CALLS calls with java.net.http; exits with code 1 if one fails permanently. Run it with `java Client.java`. */
class Client {
  static Void call(HttpClient http, int number) throws Exception {
    var pet = "{\"name\": \"Pet " + ProcessHandle.current().pid() + "-" + number + "\", \"categoryId\": 1}";
    var call = HttpRequest.newBuilder(URI.create(System.getenv("PETSTORE_BASE_URL") + "/pets")).timeout(Duration.ofSeconds(30))
        .header("Authorization", "Bearer " + System.getenv("PETSTORE_API_KEY")).header("Content-Type", "application/json");
    if (System.getenv("PETSTORE_OPERATION").equals("createPet")) call.POST(HttpRequest.BodyPublishers.ofString(pet));
    for (int attempt = 1;; attempt++) {
      var response = http.send(call.build(), HttpResponse.BodyHandlers.ofString());
      if (response.statusCode() < 400) return null;
      if (response.statusCode() != 429 || attempt == 5) throw new IllegalStateException("status " + response.statusCode());
      var sent = ZonedDateTime.parse(response.headers().firstValue("Date").get(), DateTimeFormatter.RFC_1123_DATE_TIME).toEpochSecond();
      var reset = response.headers().firstValueAsLong("X-RateLimit-Reset").orElse(sent + 60);
      Thread.sleep(response.headers().firstValueAsLong("Retry-After").orElse(reset - sent) * 1000 + (long) (Math.random() * (100 << attempt)));
    }
  }
  public static void main(String[] args) throws Exception {
    var http = HttpClient.newHttpClient();
    var callers = new ForkJoinPool(Integer.parseInt(System.getenv("PETSTORE_PARALLEL")));
    var numbers = IntStream.range(0, Integer.parseInt(System.getenv("PETSTORE_CALLS")));
    for (var result : callers.invokeAll(numbers.<Callable<Void>>mapToObj(number -> () -> call(http, number)).toList())) result.get();
  }
}
