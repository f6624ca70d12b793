import java.io.*;
import java.net.URI;
import java.net.http.*;
import java.time.Duration;
import java.util.*;
import java.util.regex.Pattern;
import org.junit.jupiter.api.extension.*;
import org.junit.jupiter.api.extension.ExtensionContext.*;
import org.junit.jupiter.api.extension.ExtensionContext.Store.CloseableResource;

/**
 * JUnit 5 extension that gives each test a Petstore of its own:
 *
 * <pre>{@code @ExtendWith(PetstoreSim.class)
 * class ClientTest {
 *   @Test void waits(PetstoreSim.Sandbox petstore) {
 *     petstore.exhaust("minute");
 *     new Client(petstore.baseUrl, petstore.apiKey).list();
 *   }
 * }}</pre>
 *
 * A test fails if its client failed the verdict or sent nothing. Environment: PETSTORE_SIM_URL is the control API of a
 * running server to use, PETSTORE_SIM_COMMAND the command that starts it.
 */
public class PetstoreSim implements ParameterResolver, AfterTestExecutionCallback {
  private static final Namespace NAMESPACE = Namespace.create(PetstoreSim.class);
  /** The scenario of a parameter: {@code @PetstoreSim.Scenario("minute-wall") PetstoreSim.Sandbox petstore}. */
  @java.lang.annotation.Retention(java.lang.annotation.RetentionPolicy.RUNTIME)
  public @interface Scenario { String value(); }

  @Override public boolean supportsParameter(ParameterContext parameter, ExtensionContext test) {
    return parameter.getParameter().getType() == Sandbox.class;
  }

  @Override public Object resolveParameter(ParameterContext parameter, ExtensionContext test) {
    var server = test.getRoot().getStore(NAMESPACE).getOrComputeIfAbsent(Server.class).url;
    var scenario = parameter.findAnnotation(Scenario.class).map(each -> ", \"scenario\": " + quoted(each.value())).orElse("");
    return test.getStore(NAMESPACE).getOrComputeIfAbsent("sandbox", key -> new Sandbox(server, scenario));
  }

  /** Fails a test on the verdict, or adds the verdict to the error of a test that failed by itself. */
  @Override public void afterTestExecution(ExtensionContext test) {
    var sandbox = test.getStore(NAMESPACE).get("sandbox", Sandbox.class);
    if (sandbox == null) return;
    var verdict = sandbox.control("GET", "/verdict?ended=true", null);
    var failed = Pattern.compile("\\{\"code\":\"([a-z0-9-]+)\",\"severity\":\"fail\".*?\"text\":\"((?:[^\"\\\\]|\\\\.)*)\"").matcher(verdict);
    var text = new StringBuilder(field(verdict, "reason"));
    while (failed.find()) text.append("\n  ").append(failed.group(1)).append(": ").append(failed.group(2).replaceAll("\\\\(.)", "$1"));
    var own = test.getExecutionException();
    var isWrong = field(verdict, "outcome").equals("fail") || own.isEmpty() && verdict.contains("\"counts\":{\"requests\":0,");
    if (isWrong && own.isEmpty()) throw new AssertionError(text.toString());
    if (isWrong) own.get().addSuppressed(new AssertionError(text.toString()));
  }

  /** A Petstore of one test: pets, keys, limits, bans, clock and journal of its own. */
  public static class Sandbox implements CloseableResource {
    public final String baseUrl, apiKey, controlUrl;
    Sandbox(String server, String scenario) {
      var made = call("POST", server + "/sandboxes", "{\"name\": \"junit-" + UUID.randomUUID() + "\"" + scenario + "}");
      baseUrl = field(made, "baseUrl");
      apiKey = field(made, "apiKey");
      controlUrl = field(made, "controlUrl");
    }
    /** Calls an operation of the control API, such as GET /keys; the result and the body are JSON. */
    public String control(String method, String path, String body) { return call(method, controlUrl + path, body); }

    /** Moves the clock of the sandbox forward. */
    public void advance(Duration time) { control("POST", "/clock", "{\"advance\": " + time.toMillis() + "}"); }

    /** Uses up a window of the key, "minute" or "day", so that its next request gets 429. */
    public void exhaust(String window) { control("POST", "/keys/" + apiKey + "/exhaust", "{\"window\": " + quoted(window) + "}"); }

    /** Bans the key from now on. */
    public void ban(Duration time) { control("POST", "/keys/" + apiKey + "/ban", "{\"for\": " + time.toMillis() + "}"); }

    /** JSON of the requests that meet a query such as "status=429", the oldest first. */
    public String journal(String query) { return control("GET", "/journal?" + query, null); }

    @Override public void close() { control("DELETE", "", null); }
  }

  /** The server for all tests of this process. */
  static class Server implements CloseableResource {
    final String url;
    Process process;
    Server() throws IOException {
      var running = System.getenv("PETSTORE_SIM_URL");
      if (running == null) {
        var command = new ArrayList<>(List.of(System.getenv().getOrDefault("PETSTORE_SIM_COMMAND", "npx --no-install petstore-sim").split(" ")));
        command.addAll(List.of("serve", "--port", "0", "--log", "json", "--until-eof"));
        process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        var line = new BufferedReader(new InputStreamReader(process.getInputStream())).readLine();
        if (line == null) throw new IOException("expected " + command + " to start a server, see its error above");
        url = field(line, "controlUrl");
      } else url = running.replaceFirst("(/__sim)?/?$", "/__sim");
    }

    /** Ends the standard input of the server, and so the server; the end of this process does the same. */
    @Override public void close() throws IOException { if (process != null) process.getOutputStream().close(); }
  }

  private static String call(String method, String url, String body) {
    var publisher = body == null ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(body);
    var request = HttpRequest.newBuilder(URI.create(url)).method(method, publisher).header("Content-Type", "application/json")
        .header("Authorization", "Bearer " + System.getenv("PETSTORE_SIM_TOKEN")).build();
    try {
      var response = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
      if (response.statusCode() >= 400) throw new IllegalStateException(method + " " + url + ": " + field(response.body(), "message"));
      return response.body();
    } catch (IOException | InterruptedException error) { throw new IllegalStateException(method + " " + url, error); }
  }

  private static String quoted(String text) { return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\""; }

  /** The first text field of this name in JSON. */
  private static String field(String json, String name) {
    var found = Pattern.compile("\"" + name + "\":\"((?:[^\"\\\\]|\\\\.)*)\"").matcher(json);
    return found.find() ? found.group(1).replaceAll("\\\\(.)", "$1") : "";
  }
}
