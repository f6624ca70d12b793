#!/bin/sh
# Makes PETSTORE_CALLS calls with curl, sequentially; exits with code 1 if one fails permanently.
head=$(mktemp)
trap 'rm -f "$head"' EXIT
field() { tr -d '\r' <"$head" | sed -n "s/^$1: //Ip" | tail -n 1; }

call() {
  attempt=1
  while :; do
    set -- --silent --output /dev/null --max-time 30 --dump-header "$head" --header "Authorization: Bearer $PETSTORE_API_KEY"
    if [ "$PETSTORE_OPERATION" = createPet ]; then
      set -- "$@" --json "{\"name\": \"Pet $$-$number\", \"categoryId\": 1}"
    fi
    status=$(curl "$@" --write-out '%{http_code}' "$PETSTORE_BASE_URL/pets")
    [ "$status" = 429 ] && [ "$attempt" -lt 5 ] || break
    until_reset=$(($(field X-RateLimit-Reset) - $(date -d "$(field Date)" +%s)))
    seconds=$(field Retry-After)
    sleep "${seconds:-$until_reset}"
    attempt=$((attempt + 1))
  done
  [ "$status" = 200 ] || [ "$status" = 201 ]
}

for number in $(seq "$PETSTORE_CALLS"); do
  call || exit 1
done
