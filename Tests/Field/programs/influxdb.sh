# InfluxDB before influxd.
case $1 in
  backend)
    INFLUXDB_META_DIR=$BACKEND/meta INFLUXDB_DATA_DIR=$BACKEND/data INFLUXDB_DATA_WAL_DIR=$BACKEND/wal INFLUXDB_BIND_ADDRESS=127.0.0.1:0 \
      INFLUXDB_HTTP_BIND_ADDRESS=127.0.0.1:$BACKEND_PORT INFLUXDB_MONITOR_STORE_ENABLED=false INFLUXDB_REPORTING_DISABLED=true exec influxd run ;;
  *) exec python influxdb_points.py "$1" ;;
esac
