#!/bin/bash
# Makes the calls that petstore-sim asks for with curl: sh curl.sh byDefault|setRight
. "$(dirname "$0")/patiently.sh"

by_default() { curl --silent --fail --retry 5 "$@"; }

set_right() {
  # doc: set right
  patiently curl --silent --output /dev/null --dump-header "$head" "$@"
  # end
}

url=$PETSTORE_BASE_URL/pets
set -- "$1" --header "Authorization: Bearer $PETSTORE_API_KEY"
[ "$PETSTORE_OPERATION" != createPet ] || set -- "$@" --json '{"name": "Newcomer", "categoryId": 1}'
setting=$1
shift
for _ in $(seq "$PETSTORE_CALLS"); do
  if [ "$setting" = byDefault ]; then by_default "$@" "$url"; else set_right "$@" "$url"; fi || exit 1
done
