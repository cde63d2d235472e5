# restic before rclone's server for it: one backup, and the number of snapshots at the end.
export RESTIC_PASSWORD=field RESTIC_CACHE_DIR="${TMPDIR-/tmp}/cache"
case $1 in
  backend)
    mkdir "$BACKEND/root" "$BACKEND/source"
    echo content >"$BACKEND/source/file"
    restic -q -r "$BACKEND/empty" init
    exec rclone serve restic --config /dev/null --addr "127.0.0.1:$BACKEND_PORT" "$BACKEND/root" ;;
  reset)
    rm -rf "$BACKEND/root"
    cp -r "$BACKEND/empty" "$BACKEND/root" ;;
  look) printf '{"backup": %s}\n' "$(find "$BACKEND/root/snapshots" -type f | wc -l)" ;;
  client)
    if told=$(restic -q -r "rest:$UNDERSTUDY_URL/" backup --no-cache "$BACKEND/source" 2>&1); then
      printf 'backup\tok\t\n'
    else
      printf 'backup\terror\t%s\n' "$(printf %s "$told" | tail -n 1 | tr '\n\t' '  ')"
      exit 1
    fi ;;
esac
