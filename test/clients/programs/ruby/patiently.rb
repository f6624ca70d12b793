# doc: patiently
require 'time'

# The seconds that an answer asks for: Retry-After as a number or a date, else X-RateLimit-Reset, else a minute.
def asked_wait(headers)
  asked = headers['Retry-After'].to_s
  return asked.to_i if asked.match?(/\A\d+\z/)

  now = Time.httpdate(headers['Date']).to_i # the service's clock, not ours
  date = Time.httpdate(asked) rescue nil
  [1, (date || headers['X-RateLimit-Reset'] || now + 60).to_i - now].max
end

# Makes a call again after each 429 of the minute, four times at most; not after one of the day.
def patiently
  4.times do
    response = yield
    return response if response[:status] != 429 || asked_wait(response[:headers]) > 60

    sleep asked_wait(response[:headers])
  end
  yield
end
# end
