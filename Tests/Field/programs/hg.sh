# Mercurial before hg serve: clones, commits and pushes; the number of changesets at the end.
export HGRCPATH='' HGUSER=field HGPLAIN=1
step() {
  name=$1
  shift
  if told=$("$@" 2>&1); then
    printf '%s\tok\t\n' "$name"
  else
    printf '%s\terror\t%s\n' "$name" "$(printf %s "$told" | tr '\n\t' '  ')"
    exit 1
  fi
}
case $1 in
  backend)
    mkdir "$BACKEND/repository"
    hg init "$BACKEND/repository"
    exec hg serve -R "$BACKEND/repository" -a 127.0.0.1 -p "$BACKEND_PORT" --config web.push_ssl=no --config 'web.allow-push=*' ;;
  reset)
    rm -rf "$BACKEND/first"
    mkdir "$BACKEND/first"
    hg init "$BACKEND/first"
    echo first >"$BACKEND/first/file"
    hg -R "$BACKEND/first" -q commit -A -m first -d '0 0'
    rm -rf "$BACKEND/repository/.hg"
    cp -r "$BACKEND/first/.hg" "$BACKEND/repository/.hg" ;;
  look) printf '{"push": %s}\n' "$(($(hg -R "$BACKEND/repository" log -T x | wc -c) - 1))" ;;
  client)
    step clone hg -q clone "$UNDERSTUDY_URL" "$TMPDIR/copy"
    echo second >>"$TMPDIR/copy/file"
    hg -R "$TMPDIR/copy" -q commit -m second -d '1 0'
    step push hg -R "$TMPDIR/copy" -q push ;;
esac
