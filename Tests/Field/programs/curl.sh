# Sends the five requests by three processes of curl: each write follows a read on its connection. The arguments of the script are
# further options of each request. It waits after an error, as "walk" of the other programs does.
url=$UNDERSTUDY_URL
json='Content-Type: application/json'
told='\t%{exitcode}\t%{size_download} bytes %{errormsg}\n'
wait_after_error() { awk -F '\t' '$2 { failed = 1 } END { exit !failed }' "$TMPDIR/told" && sleep 1.2; }
{
  curl -sSf -o /dev/null "$@" -w "list$told" "$url/rooms.json" --next \
    -sSf -o /dev/null "$@" -w "write$told" -H "$json" -d '{"name":"Ljerka"}' "$url/book"
  wait_after_error
  curl -sSf -o /dev/null "$@" -w "look$told" "$url/rooms.json" --next \
    -sSf -o /dev/null "$@" -w "write with key$told" -H "$json" -H 'Idempotency-Key: a-booking' -d '{"name":"Mina"}' "$url/book"
  wait_after_error
  curl -sSf -o /dev/null "$@" -w "look again$told" "$url/rooms.json"
} >"$TMPDIR/told"
awk -F '\t' -v OFS='\t' '{ $2 = $2 == 0 ? "ok" : "error"; failed = failed || $2 == "error"; print } END { exit failed }' "$TMPDIR/told"
