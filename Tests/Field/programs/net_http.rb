# Net::HTTP with a connection that is kept.
require "net/http"
require_relative "walk"

address = URI(ENV.fetch("UNDERSTUDY_URL"))
Net::HTTP.start(address.host, address.port) do |http|
  walk do |method, path, content, fields|
    request = Net::HTTP.const_get(method.capitalize).new(path, fields)
    request.body = content
    response = http.request(request)
    response.value
    response.body
  end
end
