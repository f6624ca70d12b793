# Makes PETSTORE_CALLS calls with Faraday; exits with code 1 if one fails permanently.
require 'faraday'
require 'json'
require 'time'

def call(http, number)
  post = ENV['PETSTORE_OPERATION'] == 'createPet'
  (1..5).each do |attempt|
    body = post ? { name: "Pet #{Process.pid}-#{number}", categoryId: 1 }.to_json : nil
    response = http.run_request(post ? :post : :get, 'pets', body, nil)
    return if response.success?
    raise "status #{response.status}" if response.status != 429 || attempt == 5

    until_reset = response.headers['X-RateLimit-Reset'].to_i - Time.httpdate(response.headers['Date']).to_i
    sleep((response.headers['Retry-After'] || until_reset).to_f + rand * 0.1 * 2**attempt)
  end
end

numbers = Queue.new
ENV['PETSTORE_CALLS'].to_i.times { |number| numbers << number }
callers = Array.new(ENV['PETSTORE_PARALLEL'].to_i) do
  Thread.new do
    http = Faraday.new(url: "#{ENV['PETSTORE_BASE_URL']}/", request: { timeout: 30 }, headers: {
      'Authorization' => "Bearer #{ENV['PETSTORE_API_KEY']}", 'Content-Type' => 'application/json'
    })
    call(http, numbers.pop(true)) until numbers.empty?
  end
end
callers.each(&:join)
