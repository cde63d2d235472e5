# Sends each of the five requests by a process of wget, which has one method for all its URLs.
url=$UNDERSTUDY_URL
json='Content-Type: application/json'
failed=0
step() {
  name=$1
  shift
  if wget -nv -O "$TMPDIR/received" "$@" 2>"$TMPDIR/errors"; then
    printf '%s\tok\t%s bytes\n' "$name" "$(wc -c <"$TMPDIR/received")"
  else
    printf '%s\terror\texit %s: %s\n' "$name" $? "$(tr '\n' ' ' <"$TMPDIR/errors")"
    failed=1
    sleep 1.2
  fi
}
step list "$url/rooms.json"
step write --header "$json" --post-data '{"name":"Ljerka"}' "$url/book"
step look "$url/rooms.json"
step 'write with key' --header "$json" --header 'Idempotency-Key: a-booking' --post-data '{"name":"Mina"}' "$url/book"
step 'look again' "$url/rooms.json"
exit $failed
