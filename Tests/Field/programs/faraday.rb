# Faraday, whose default adapter is Net::HTTP. With the argument "retry" it has its retry middleware, with that one's defaults.
require "faraday"
require_relative "walk"

client = Faraday.new(ENV.fetch("UNDERSTUDY_URL")) do |configuration|
  configuration.request :retry if ARGV == ["retry"]
  configuration.response :raise_error
  configuration.adapter :net_http
end
walk { |method, path, content, fields| client.run_request(method, path, content, fields).body }
