import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.URI;
import java.net.http.*;
import java.time.Duration;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(PetstoreSim.class)
class ClientTest {
  /** A client: it waits by a function of Retry-After, and asks again. */
  static int list(PetstoreSim.Sandbox petstore, Consumer<Duration> wait) throws Exception {
    var request = HttpRequest.newBuilder(URI.create(petstore.baseUrl + "/pets")).header("Authorization", "Bearer " + petstore.apiKey).build();
    for (int attempt = 1; attempt <= 5; attempt++) {
      var response = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
      if (response.statusCode() != 429) return response.statusCode();
      wait.accept(Duration.ofSeconds(response.headers().firstValueAsLong("Retry-After").orElseThrow()));
    }
    return 429;
  }

  static void sleep(Duration time) {
    try { Thread.sleep(100); } catch (InterruptedException error) { throw new IllegalStateException(error); }
  }

  @Test void waits(PetstoreSim.Sandbox petstore) throws Exception {
    petstore.exhaust("minute");
    assertEquals(200, list(petstore, petstore::advance));
    assertEquals(1, petstore.journal("status=429").split("\"status\":429").length - 1);
  }

  @Test void waitsForTheEndOfABan(@PetstoreSim.Scenario("minute-wall") PetstoreSim.Sandbox petstore) throws Exception {
    petstore.ban(Duration.ofSeconds(90));
    assertEquals(200, list(petstore, petstore::advance));
  }

  @Test void retriesTooEarly(PetstoreSim.Sandbox petstore) throws Exception {
    petstore.exhaust("minute");
    list(petstore, ClientTest::sleep);
  }

  @Test void sendsNothing(PetstoreSim.Sandbox petstore) {}

  @Test void failsFirst(PetstoreSim.Sandbox petstore) throws Exception {
    petstore.exhaust("minute");
    assertEquals(200, list(petstore, ClientTest::sleep));
  }
}
