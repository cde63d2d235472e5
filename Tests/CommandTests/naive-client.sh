# Books three spots, and takes silence for failure: it sends the booking again at once, with no Idempotency-Key. Its name is the same
# with each version of curl.
for person in Ada Grace Hedy; do
  until curl -sf -m 2 -A naive -d '{"name":"Ljerka"}' "$UNDERSTUDY_URL/book" >/dev/null; do :; done
done
