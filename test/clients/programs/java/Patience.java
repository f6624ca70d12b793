// doc: patiently
import java.time.DateTimeException;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.function.UnaryOperator;

class Patience {
  static final UnaryOperator<String> NO_HEADERS = name -> null;

  /**
   * Milliseconds to wait after the n-th attempt of a call, or -1 to give up.
   * A network error has status 0.
   */
  static long retryDelay(int attempt, String method, int status, UnaryOperator<String> field) {
    // A 429 stores nothing. After any other failure a write may be stored.
    var mayRepeat = status == 429 || method.equals("GET") && (status == 0 || status >= 500);
    var served = instant(field.apply("Date")); // the service's clock, not ours
    var now = served == null ? System.currentTimeMillis() : served;
    var asked = field.apply("Retry-After");
    var date = instant(asked);
    var wait = date != null ? date - now : 0;
    if (isNumber(asked, "(\\.\\d+)?")) wait = (long) (1000 * Double.parseDouble(asked));
    var isUnusable = wait <= 0 || wait > 60_000;
    if (status == 429 && isUnusable && isNumber(field.apply("X-RateLimit-Reset"), "")) {
      // Unix time in seconds; with other services also in ms, or seconds left.
      var reset = Long.parseLong(field.apply("X-RateLimit-Reset"));
      var left = reset > 1e11 ? reset - now : reset > 1e8 ? 1000 * reset - now : 1000 * reset;
      wait = left > 0 ? left : wait;
    }
    if (attempt > 4 || !mayRepeat || wait > 60_000) return -1;
    return Math.max(wait, 500L << attempt) + (long) (Math.random() * (250L << attempt));
  }

  private static boolean isNumber(String text, String fraction) {
    return text != null && text.matches("\\d{1,15}" + fraction);
  }

  private static Long instant(String date) {
    try {
      if (date == null) return null;
      var time = ZonedDateTime.parse(date, DateTimeFormatter.RFC_1123_DATE_TIME);
      return time.toInstant().toEpochMilli();
    } catch (DateTimeException e) {
      return null;
    }
  }
}
// end
