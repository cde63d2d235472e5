# boto3 before moto.
case $1 in
  backend) exec moto_server -H 127.0.0.1 -p "$BACKEND_PORT" ;;
  *) exec python dynamodb.py "$1" ;;
esac
