# The requests that each program of Ruby sends: it lists the rooms, books a spot in two of them, and looks after each booking.

JSON_FIELDS = { "Content-Type" => "application/json" }.freeze
STEPS = [
  ["list", :get, "/rooms.json", nil, {}],
  ["write", :post, "/book", '{"name":"Ljerka"}', JSON_FIELDS],
  ["look", :get, "/rooms.json", nil, {}],
  ["write with key", :post, "/book", '{"name":"Mina"}', JSON_FIELDS.merge("Idempotency-Key" => "a-booking")],
  ["look again", :get, "/rooms.json", nil, {}],
].freeze

# Sends each request by the block, which returns the response's content, and raises an error for each failure that its library tells.
# A program that met an error tells it, waits longer than any Retry-After of the ways, goes on, and ends with 1.
def walk
  failed = false
  STEPS.each do |step, method, path, content, fields|
    received = yield(method, path, content, fields)
    puts [step, "ok", "#{received.to_s.bytesize} bytes"].join("\t")
  rescue StandardError => error
    failed = true
    puts [step, "error", "#{error.class}: #{error.message}".split.join(" ")].join("\t")
    sleep 1.2
  end
  exit(failed ? 1 : 0)
end
