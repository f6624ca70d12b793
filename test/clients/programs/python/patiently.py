# doc: patiently
import time
from email.utils import mktime_tz, parsedate_tz


def asked_wait(headers):
    """The seconds that an answer asks for: Retry-After as a number or a date, else X-RateLimit-Reset, else a minute."""
    asked = headers.get("Retry-After", "")
    if asked.isdigit():
        return int(asked)
    now = mktime_tz(parsedate_tz(headers["Date"]))  # the service's clock, not ours
    date = parsedate_tz(asked)
    return max(1, (mktime_tz(date) if date else float(headers.get("X-RateLimit-Reset", now + 60))) - now)


def is_worth_waiting(status, headers):
    """Whether it is a 429 of the minute, not of the day."""
    return status == 429 and asked_wait(headers) <= 60


def patiently(send):
    """Makes a call again after each 429, four times at most."""
    for _ in range(4):
        response = send()
        if not is_worth_waiting(response.status_code, response.headers):
            return response
        time.sleep(asked_wait(response.headers))
    return send()
# end
