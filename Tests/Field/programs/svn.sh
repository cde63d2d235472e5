# Subversion before Apache with mod_dav_svn: checks out and commits; the number of revisions at the end.
modules=/usr/lib/apache2/modules
case $1 in
  backend)
    svnadmin create "$BACKEND/empty"
    cat >"$BACKEND/apache.conf" <<CONFIGURATION
ServerName localhost
ServerRoot $BACKEND
Listen 127.0.0.1:$BACKEND_PORT
PidFile $BACKEND/apache.pid
ErrorLog $BACKEND/apache.log
User nobody
Group nogroup
$(for name in mpm_event authn_core authz_core dav dav_svn; do echo "LoadModule ${name}_module $modules/mod_$name.so"; done)
<Location /svn>
  DAV svn
  SVNPath $BACKEND/repository
</Location>
CONFIGURATION
    chmod 755 "$BACKEND" "$BACKEND/.."
    exec apache2 -X -f "$BACKEND/apache.conf" ;;
  reset)
    rm -rf "$BACKEND/repository"
    cp -r "$BACKEND/empty" "$BACKEND/repository"
    [ "$(id -u)" != 0 ] || chown -R nobody "$BACKEND/repository" ;;
  look) printf '{"commit": %s}\n' "$(svnlook youngest "$BACKEND/repository")" ;;
  client)
    if ! told=$(svn checkout -q --non-interactive "$UNDERSTUDY_URL/svn" "$TMPDIR/copy" 2>&1); then
      printf 'checkout\terror\t%s\n' "$(printf %s "$told" | tr '\n\t' '  ')"
      exit 1
    fi
    printf 'checkout\tok\t\n'
    echo content >"$TMPDIR/copy/file"
    svn add -q "$TMPDIR/copy/file"
    if told=$(svn commit -q --non-interactive -m first "$TMPDIR/copy" 2>&1); then
      printf 'commit\tok\t\n'
    else
      printf 'commit\terror\t%s\n' "$(printf %s "$told" | tr '\n\t' '  ')"
      exit 1
    fi ;;
esac
