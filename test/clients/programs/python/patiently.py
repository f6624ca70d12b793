# doc: patiently
import time
from email.utils import parsedate_to_datetime


def asked_wait(headers):
    """The seconds that an answer asks for: Retry-After as a number or a date, else X-RateLimit-Reset, else a minute."""
    asked = headers.get("Retry-After", "")
    if asked.isdigit():
        return int(asked)
    # The service's clock, not ours.
    now = parsedate_to_datetime(headers["Date"]).timestamp()
    if asked:
        return max(1, parsedate_to_datetime(asked).timestamp() - now)
    return max(1, float(headers.get("X-RateLimit-Reset", now + 60)) - now)


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
