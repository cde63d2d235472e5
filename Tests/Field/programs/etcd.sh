# etcdctl, by version 2 of the interface, before etcd: three entries of a queue, and their number at the end.
export ETCDCTL_API=2
case $1 in
  backend)
    exec etcd --enable-v2 --data-dir "$BACKEND/data" --listen-client-urls "http://127.0.0.1:$BACKEND_PORT" --advertise-client-urls "http://127.0.0.1:$BACKEND_PORT" \
      --listen-peer-urls http://127.0.0.1:0 --initial-advertise-peer-urls http://127.0.0.1:2380 --initial-cluster default=http://127.0.0.1:2380 ;;
  reset) curl -s -X DELETE "$BACKEND_URL/v2/keys/queue?recursive=true" ;;
  look) printf '{"add": %s}\n' "$(curl -s "$BACKEND_URL/v2/keys/queue" | grep -o '"key":"/queue/' | wc -l)" ;;
  client)
    failed=0
    for entry in one two three; do
      if told=$(etcdctl --no-sync --endpoints "$UNDERSTUDY_URL" mk --in-order /queue $entry 2>&1); then
        printf 'add\tok\t\n'
      else
        printf 'add\terror\t%s\n' "$(printf %s "$told" | tail -n 1 | tr '\n\t' '  ')"
        failed=1
        sleep 1.2
      fi
    done
    exit $failed ;;
esac
