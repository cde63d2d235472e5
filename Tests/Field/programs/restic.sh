# restic before rclone's server for it: one backup, and the number of snapshots at the end.
export RESTIC_PASSWORD=field RESTIC_CACHE_DIR="${TMPDIR-/tmp}/cache"
case $1 in
  backend)
    mkdir "$BACKEND/repository" "$BACKEND/source"
    echo content >"$BACKEND/source/file"
    restic -q -r "$BACKEND/empty" init
    exec rclone serve restic --config /dev/null --addr "127.0.0.1:$BACKEND_PORT" "$BACKEND/repository" ;;
  reset)
    rm -rf "$BACKEND/repository"
    cp -r "$BACKEND/empty" "$BACKEND/repository" ;;
  look) printf '{"backup": %s}\n' "$(find "$BACKEND/repository/snapshots" -type f | wc -l)" ;;
  client)
    if told=$(restic -q -r "rest:$UNDERSTUDY_URL/" backup --no-cache "$BACKEND/source" 2>&1); then
      printf 'backup\tok\t\n'
    else
      printf 'backup\terror\t%s\n' "$(printf %s "$told" | tail -n 1 | tr '\n\t' '  ')"
      exit 1
    fi ;;
esac
