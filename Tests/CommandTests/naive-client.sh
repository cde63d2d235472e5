# Books three spots, and takes silence for failure: it sends the booking again at once, with no Idempotency-Key.
for person in Ada Grace Hedy; do
  until curl -sf -m 2 -d '{"name":"Ljerka"}' "$UNDERSTUDY_URL/book" >/dev/null; do :; done
done
