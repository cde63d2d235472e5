# skopeo before docker-registry: copies an image of one layer, and the tags that the registry has at the end.
case $1 in
  backend)
    python3 image.py "$BACKEND/image"
    printf 'version: 0.1\nstorage:\n  filesystem:\n    rootdirectory: %s/registry\nhttp:\n  addr: 127.0.0.1:%s\n' "$BACKEND" "$BACKEND_PORT" >"$BACKEND/registry.yaml"
    exec docker-registry serve "$BACKEND/registry.yaml" ;;
  reset) rm -rf "$BACKEND/registry" ;;
  look) printf '{"copy": %s}\n' "$(curl -sf "$BACKEND_URL/v2/field/tags/list" | grep -c latest)" ;;
  client)
    if told=$(skopeo --insecure-policy copy -q --dest-tls-verify=false "oci:$BACKEND/image:latest" "docker://${UNDERSTUDY_URL#http://}/field:latest" 2>&1); then
      printf 'copy\tok\t\n'
    else
      printf 'copy\terror\t%s\n' "$(printf %s "$told" | tail -n 1 | tr '\n\t' '  ')"
      exit 1
    fi ;;
esac
