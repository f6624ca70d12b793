# Makes the calls that petstore-sim asks for with Excon: ruby ruby.rb excon|excon_patient
require 'excon'
require 'json'

settings = { 'excon' => { retry_limit: 4, retry_interval: 1 }, 'excon_patient' => { retry_limit: 3, retry_interval: 6 } }
options = settings.fetch(ARGV[0]).merge(idempotent: true, expects: [200, 201], read_timeout: 5)
headers = { 'Authorization' => "Bearer #{ENV['PETSTORE_API_KEY']}", 'Content-Type' => 'application/json' }
numbers = Queue.new((1..ENV['PETSTORE_CALLS'].to_i).to_a).close
Thread.abort_on_exception = true
callers = Array.new(ENV['PETSTORE_PARALLEL'].to_i) do
  Thread.new do
    while (number = numbers.pop)
      is_post = ENV['PETSTORE_OPERATION'] == 'createPet'
      body = is_post ? { body: { name: "Newcomer #{number}", categoryId: 1 }.to_json } : {}
      url = "#{ENV['PETSTORE_BASE_URL']}/pets"
      Excon.new(url).request(method: is_post ? :post : :get, headers: headers, **options, **body)
    end
  end
end
callers.each(&:join)
