# doc: patiently
require 'time'

# Seconds to wait after the n-th attempt of a call, or nil to give up. A network error has
# status 0.
def retry_delay(attempt, method, status, headers)
  # A 429 stores nothing. After any other failure a write may be stored.
  may_repeat = status == 429 || (method == :get && (status.zero? || status >= 500))
  # The service's clock, not ours.
  now = headers['Date'] ? Time.httpdate(headers['Date']).to_i : Time.now.to_i
  asked = headers['Retry-After'].to_s
  wait = asked.match?(/\A\d+(\.\d+)?\z/) ? asked.to_f : (Time.httpdate(asked).to_i - now rescue 0)
  # Unix time in seconds; with other services also in ms, or seconds left.
  reset = headers['X-RateLimit-Reset'].to_i
  if status == 429 && reset.positive? && !wait.between?(1, 60)
    left = reset > 1e11 ? reset / 1000.0 - now : reset > 1e8 ? reset - now : reset
    wait = left if left.positive?
  end
  return if attempt > 4 || !may_repeat || wait > 60

  [wait, 2**(attempt - 1)].max + rand * 2**attempt / 4
end

# Makes a call until it succeeds or must not be sent again.
def patiently(method, errors = [IOError, SystemCallError, Timeout::Error])
  (1..5).each do |attempt|
    begin
      response = yield
      delay = retry_delay(attempt, method, response[:status], response[:headers])
      return response unless delay
    rescue *errors
      delay = retry_delay(attempt, method, 0, {})
      raise unless delay
    end
    sleep delay
  end
end
# end
