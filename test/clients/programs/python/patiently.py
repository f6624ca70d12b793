# doc: patiently
import random
import time
from email.utils import mktime_tz, parsedate_tz


def retry_delay(attempt, method, status=0, headers={}):
    """Seconds to wait after the n-th attempt of a call, or None to give up.

    A network error has no status.
    """
    # A 429 stores nothing. After any other failure a write may be stored.
    may_repeat = status == 429 or method == "GET" and (status == 0 or status >= 500)
    # The service's clock, not ours.
    now = mktime_tz(parsedate_tz(headers["Date"])) if "Date" in headers else time.time()
    asked = headers.get("Retry-After", "")
    wait = float(asked) if asked.replace(".", "", 1).isdecimal() else 0
    if asked.endswith(" GMT") and parsedate_tz(asked):
        wait = mktime_tz(parsedate_tz(asked)) - now
    # Unix time in seconds; with other services also in ms, or seconds left.
    reset = headers.get("X-RateLimit-Reset", "")
    if status == 429 and reset.isdecimal() and not 0 < wait <= 60:
        left = {10: int(reset) - now, 13: int(reset) / 1000 - now}.get(len(reset), int(reset))
        wait = left if left > 0 else wait
    if attempt > 4 or not may_repeat or wait > 60:
        return None
    return max(wait, 2 ** (attempt - 1)) + random.random() * 2**attempt / 4


def patiently(method, send, errors=OSError):
    """Makes a call until it succeeds or must not be sent again."""
    for attempt in range(1, 6):
        try:
            response = send()
            delay = retry_delay(attempt, method, response.status_code, response.headers)
            if delay is None:
                return response
        except errors:
            delay = retry_delay(attempt, method)
            if delay is None:
                raise
        time.sleep(delay)
# end
