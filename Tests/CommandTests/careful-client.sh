# Books three spots. Each attempt to book one has the same Idempotency-Key, and waits a moment before it is repeated.
for person in Ada Grace Hedy; do
  until curl -sf -m 2 -H "Idempotency-Key: $person" -d '{"name":"Ljerka"}' "$UNDERSTUDY_URL/book" >/dev/null; do sleep 1; done
done
