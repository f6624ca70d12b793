# Makes the calls that petstore-sim asks for with one client: ruby run.rb NAME byDefault|setRight
name, setting = ARGV
require_relative name

function = { 'byDefault' => :by_default, 'setRight' => :set_right }[setting]
headers = { 'Authorization' => "Bearer #{ENV['PETSTORE_API_KEY']}", 'Content-Type' => 'application/json' }
numbers = Queue.new((1..ENV['PETSTORE_CALLS'].to_i).to_a).close
Thread.abort_on_exception = true
callers = Array.new(ENV['PETSTORE_PARALLEL'].to_i) do
  Thread.new do
    while (number = numbers.pop)
      pet = ENV['PETSTORE_OPERATION'] == 'createPet' ? { name: "Newcomer #{number}", categoryId: 1 } : nil
      status = send(function, pet ? :post : :get, "#{ENV['PETSTORE_BASE_URL']}/pets", headers, pet)
      raise "the service answered #{status}" if status >= 400
    end
  end
end
callers.each(&:join)
