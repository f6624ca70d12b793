import java.util.Map;

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

  public static void main(String[] args) throws Exception {
    var isPost = System.getenv("PETSTORE_OPERATION").equals("createPet");
    for (int number = 1; number <= Integer.parseInt(System.getenv("PETSTORE_CALLS")); number++) {
      var pet = isPost ? "{\"name\":\"Newcomer " + number + "\",\"categoryId\":1}" : null;
      var send = clients.get(args[0] + "/" + args[1]);
      int status = send.send(isPost ? "POST" : "GET", System.getenv("PETSTORE_BASE_URL") + "/pets", pet);
      if (status >= 400) throw new IllegalStateException("the service answered " + status);
    }
    System.exit(0);
  }
}
