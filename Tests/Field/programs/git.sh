# git before git http-backend: clones, commits and pushes; the number of commits at the end.
export GIT_AUTHOR_NAME=field GIT_AUTHOR_EMAIL=field@localhost GIT_COMMITTER_NAME=field GIT_COMMITTER_EMAIL=field@localhost
export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null GIT_TERMINAL_PROMPT=0
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
  backend) exec python3 git_backend.py "$BACKEND_PORT" ;;
  reset)
    rm -rf "$BACKEND/field.git" "$BACKEND/first"
    git init -q --bare -b main "$BACKEND/field.git"
    git -C "$BACKEND/field.git" config http.receivepack true
    git init -q -b main "$BACKEND/first"
    git -C "$BACKEND/first" commit -q --allow-empty -m first
    git -C "$BACKEND/first" push -q "$BACKEND/field.git" main ;;
  look) printf '{"push": %s}\n' "$(($(git -C "$BACKEND/field.git" rev-list --count main) - 1))" ;;
  client)
    step clone git clone -q "$UNDERSTUDY_URL/field.git" "$TMPDIR/copy"
    git -C "$TMPDIR/copy" commit -q --allow-empty -m second
    step push git -C "$TMPDIR/copy" push -q origin main ;;
esac
