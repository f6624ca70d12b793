require 'json'
require 'net/http'
require_relative 'patiently'

def request_of(method, url, headers, pet)
  request = (method == :post ? Net::HTTP::Post : Net::HTTP::Get).new(url, headers)
  request.body = pet.to_json if pet
  request
end

def by_default(method, url, headers, pet)
  uri = URI(url)
  Net::HTTP.start(uri.host, uri.port) { |http| http.request(request_of(method, uri, headers, pet)) }.code.to_i
end

def set_right(method, url, headers, pet)
  uri = URI(url)
  request = request_of(method, uri, headers, pet)
  Net::HTTP.start(uri.host, uri.port) do |http|
    # doc: set right
    http.read_timeout = 30
    http.max_retries = 0 # it repeats on its own
    # A response that breaks off is an error. Net::HTTP of Ruby 3.1.2 cannot report it.
    http.ignore_eof = false if http.respond_to?(:ignore_eof=)
    response = nil
    patiently(method) do
      response = http.request(request)
      { status: response.code.to_i, headers: response }
    end
    # end
    response.code.to_i
  end
end

# doc: whole
#| require 'net/http'
#| require_relative 'patiently'
#|
#| uri = URI("#{ENV['PETSTORE_BASE_URL']}/pets")
#| method = :get
#| request = Net::HTTP::Get.new(uri, 'Authorization' => "Bearer #{ENV['PETSTORE_API_KEY']}")
#| Net::HTTP.start(uri.host, uri.port) do |http|
#|   <set right>
#|   abort "the service answered #{response.code}" if response.code.to_i >= 400
#| end
# end
