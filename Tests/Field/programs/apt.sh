# apt before a plain file server: reads the list of an archive, and looks for its one package.
case $1 in
  backend)
    mkdir "$BACKEND/archive"
    printf 'Package: field\nVersion: 1.0\nArchitecture: all\nMaintainer: field <field@localhost>\nFilename: ./field.deb\nSize: 1\nSHA256: %064d\nDescription: a package\n' 0 >"$BACKEND/archive/Packages"
    sum=$(sha256sum "$BACKEND/archive/Packages" | cut -d ' ' -f 1)
    printf 'Origin: field\nSuite: field\nSHA256:\n %s %s Packages\n' "$sum" "$(wc -c <"$BACKEND/archive/Packages")" >"$BACKEND/archive/Release"
    exec python3 -m http.server -b 127.0.0.1 -d "$BACKEND/archive" "$BACKEND_PORT" ;;
  reset) : ;;
  look) echo '{}' ;;
  client)
    mkdir -p "$TMPDIR/lists/partial" "$TMPDIR/cache/archives/partial"
    echo "deb [trusted=yes] $UNDERSTUDY_URL ./" >"$TMPDIR/sources.list"
    if told=$(apt-get -q update -o Dir::Etc::SourceList="$TMPDIR/sources.list" -o Dir::Etc::SourceParts=/dev/null -o Dir::State::Lists="$TMPDIR/lists" \
      -o Dir::Cache="$TMPDIR/cache" -o APT::Sandbox::User=root -o Acquire::Languages=none -o Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false 2>&1); then
      printf 'update\tok\t%s bytes\n' "$(cat "$TMPDIR"/lists/*Packages* 2>/dev/null | wc -c)"
    else
      printf 'update\terror\t%s\n' "$(printf %s "$told" | tr '\n\t' '  ')"
      exit 1
    fi ;;
esac
