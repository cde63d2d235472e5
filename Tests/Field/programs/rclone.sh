# rclone before a WebDAV server: copies a folder with two files, and the files that the backend has at the end.
case $1 in
  backend)
    mkdir "$BACKEND/files" "$BACKEND/source"
    echo one >"$BACKEND/source/one.txt"
    echo two >"$BACKEND/source/two.txt"
    exec rclone serve webdav --config /dev/null --addr "127.0.0.1:$BACKEND_PORT" --dir-cache-time 0 "$BACKEND/files" ;;
  reset) rm -rf "$BACKEND"/files/* ;;
  look) printf '{"copy": %s}\n' "$(test -s "$BACKEND/files/one.txt" && test -s "$BACKEND/files/two.txt" && echo 1 || echo 0)" ;;
  client)
    if told=$(rclone copy --config /dev/null --transfers 1 --checkers 1 --retries-sleep 0 "$BACKEND/source" ":webdav,url='$UNDERSTUDY_URL':" 2>&1); then
      printf 'copy\tok\t\n'
    else
      printf 'copy\terror\t%s\n' "$(printf %s "$told" | tail -n 1 | tr '\n\t' '  ')"
      exit 1
    fi ;;
esac
