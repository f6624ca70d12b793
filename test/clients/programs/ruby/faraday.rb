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
    patiently(env[:method], [Faraday::Error]) do
      response = @app.call(env.tap { |again| again[:body] = body })
      { status: response.status, headers: response.headers }
    end
    response
  end
end

PATIENT = Faraday.new(request: { timeout: 30 }) do |builder|
  builder.use Patience
  # A response that breaks off is an error. Net::HTTP of Ruby 3.1.2 cannot report it.
  builder.adapter(:net_http) { |net| net.ignore_eof = false if net.respond_to?(:ignore_eof=) }
end
# end

def set_right(method, url, headers, pet)
  PATIENT.run_request(method, url, pet&.to_json, headers).status
end

# doc: whole
#| require 'faraday'
#| require_relative 'patiently'
#|
#| <set right>
#|
#| response = PATIENT.get("#{ENV['PETSTORE_BASE_URL']}/pets") do |request|
#|   request.headers['Authorization'] = "Bearer #{ENV['PETSTORE_API_KEY']}"
#| end
#| abort "the service answered #{response.status}" unless response.success?
# end
