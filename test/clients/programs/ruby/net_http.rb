require 'json'
require 'net/http'
require_relative 'patiently'

def request(method, url, headers, pet)
  request = (method == :post ? Net::HTTP::Post : Net::HTTP::Get).new(url, headers)
  request.body = pet.to_json if pet
  request
end

def by_default(method, url, headers, pet)
  uri = URI(url)
  Net::HTTP.start(uri.host, uri.port) { |http| http.request(request(method, uri, headers, pet)) }.code.to_i
end

def set_right(method, url, headers, pet)
  uri = URI(url)
  Net::HTTP.start(uri.host, uri.port) do |http|
    # doc: set right
    http.read_timeout = 30
    http.max_retries = 0 # it repeats on its own
    # A response that breaks off is an error. Net::HTTP of Ruby 3.1.2 cannot report it.
    http.ignore_eof = false if http.respond_to?(:ignore_eof=)
    response = nil
    patiently(method) do
      response = http.request(request(method, uri, headers, pet))
      { status: response.code.to_i, headers: response }
    end
    # end
    response.code.to_i
  end
end
