# twine before pypiserver: uploads one file, and the backend's list at the end.
case $1 in
  backend)
    mkdir -p "$BACKEND/packages" "$BACKEND/source"
    printf '[metadata]\nname = field\nversion = 1.0\n' >"$BACKEND/source/setup.cfg"
    printf 'Metadata-Version: 2.1\nName: field\nVersion: 1.0\n' >"$BACKEND/source/PKG-INFO"
    mkdir "$BACKEND/field-1.0" && cp "$BACKEND/source/PKG-INFO" "$BACKEND/source/setup.cfg" "$BACKEND/field-1.0"
    tar -C "$BACKEND" -czf "$BACKEND/field-1.0.tar.gz" field-1.0
    exec pypi-server run -i 127.0.0.1 -p "$BACKEND_PORT" -a . -P . "$BACKEND/packages" ;;
  reset) rm -f "$BACKEND"/packages/* ;;
  look) printf '{"upload": %s}\n' "$(find "$BACKEND/packages" -name '*.gz' | wc -l)" ;;
  client)
    if told=$(twine --no-color upload --non-interactive --disable-progress-bar -u none -p none --repository-url "$UNDERSTUDY_URL/" "$BACKEND/field-1.0.tar.gz" 2>&1); then
      printf 'upload\tok\t%s\n' "$(printf %s "$told" | tr '\n\t' '  ')"
    else
      printf 'upload\terror\t%s\n' "$(printf %s "$told" | tr '\n\t' '  ')"
      exit 1
    fi ;;
esac
