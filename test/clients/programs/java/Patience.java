import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.function.UnaryOperator;

// doc: patiently
class Patience {
  /** The seconds that an answer asks for: Retry-After as a number or a date, else X-RateLimit-Reset, else a minute. */
  static long askedWait(UnaryOperator<String> field) {
    var asked = field.apply("Retry-After");
    if (asked != null && asked.matches("\\d+")) return Long.parseLong(asked);
    var now = instant(field.apply("Date")); // the service's clock, not ours
    var reset = field.apply("X-RateLimit-Reset");
    var isDate = asked != null && asked.endsWith("GMT");
    var until = isDate ? instant(asked) : reset != null ? Long.parseLong(reset) : now + 60;
    return Math.max(1, until - now);
  }

  /** Whether it is a 429 of the minute, not of the day. */
  static boolean isWorthWaiting(int status, UnaryOperator<String> field) {
    return status == 429 && askedWait(field) <= 60;
  }

  private static long instant(String date) {
    return ZonedDateTime.parse(date, DateTimeFormatter.RFC_1123_DATE_TIME).toEpochSecond();
  }
}
// end
