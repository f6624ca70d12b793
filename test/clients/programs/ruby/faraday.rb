require 'faraday'
require 'json'
require_relative 'patiently'

def connection(retry_options)
  Faraday.new do |builder|
    builder.request :retry, retry_options
    builder.adapter Faraday.default_adapter
  end
end

def by_default(method, url, headers, pet)
  connection({}).run_request(method, url, pet&.to_json, headers).status
end

# doc: set right
class Patience < Faraday::Middleware
  def call(env)
    body = env[:body]
    response = nil
    patiently do
      response = @app.call(env.tap { |again| again[:body] = body })
      { status: response.status, headers: response.headers }
    end
    response
  end
end
# end

def set_right(method, url, headers, pet)
  http = Faraday.new do |builder|
    builder.use Patience
    builder.adapter Faraday.default_adapter
  end
  http.run_request(method, url, pet&.to_json, headers).status
end
