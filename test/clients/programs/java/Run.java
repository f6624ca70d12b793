import java.util.ArrayList;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** Makes the calls that petstore-sim asks for with one client: Run NAME byDefault|setRight */
class Run {
  /** Makes one call; the status of its last answer. */
  interface Send {
    int send(String method, String url, String pet) throws Exception;
  }

  static final Map<String, Send> clients = Map.of(
      "java-net/byDefault", JavaNet::byDefault, "java-net/setRight", JavaNet::setRight,
      "apache/byDefault", Apache::byDefault, "apache/setRight", Apache::setRight,
      "okhttp/byDefault", OkHttp::byDefault, "okhttp/setRight", OkHttp::setRight);

  static final AtomicInteger number = new AtomicInteger();

  public static void main(String[] args) throws Exception {
    var send = clients.get(args[0] + "/" + args[1]);
    var callers = new ArrayList<Thread>();
    for (int left = Integer.parseInt(System.getenv("PETSTORE_PARALLEL")); left > 0; left--) {
      var caller = new Thread(() -> {
        try {
          makeCalls(send);
        } catch (Exception e) {
          e.printStackTrace();
          System.exit(1);
        }
      });
      caller.start();
      callers.add(caller);
    }
    for (var caller : callers) caller.join();
    System.exit(0);
  }

  /** Makes calls until all are made; stops at the first that fails. */
  static void makeCalls(Send send) throws Exception {
    var isPost = System.getenv("PETSTORE_OPERATION").equals("createPet");
    int calls = Integer.parseInt(System.getenv("PETSTORE_CALLS"));
    for (int call = number.incrementAndGet(); call <= calls; call = number.incrementAndGet()) {
      var pet = isPost ? "{\"name\":\"Newcomer " + call + "\",\"categoryId\":1}" : null;
      int status = send.send(isPost ? "POST" : "GET", System.getenv("PETSTORE_BASE_URL") + "/pets", pet);
      if (status >= 400) throw new IllegalStateException("the service answered " + status);
    }
  }
}
