# Makes the calls that petstore-sim asks for with one client: ruby run.rb NAME byDefault|setRight
name, setting = ARGV
require_relative name

operation = ENV['PETSTORE_OPERATION']
headers = { 'Authorization' => "Bearer #{ENV['PETSTORE_API_KEY']}", 'Content-Type' => 'application/json' }
1.upto(ENV['PETSTORE_CALLS'].to_i) do |number|
  pet = operation == 'createPet' ? { name: "Newcomer #{number}", categoryId: 1 } : nil
  status = send({ 'byDefault' => :by_default, 'setRight' => :set_right }[setting], pet ? :post : :get, "#{ENV['PETSTORE_BASE_URL']}/pets", headers, pet)
  abort "the service answered #{status}" if status >= 400
end
