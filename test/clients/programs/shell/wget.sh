#!/bin/bash
# Makes the calls that petstore-sim asks for with wget: sh wget.sh byDefault|setRight
. "$(dirname "$0")/patiently.sh"

by_default() { wget --quiet --output-document /dev/null "$@"; }

set_right() {
  # doc: set right
  with_head() { "$@" 2>"$head"; }
  patiently with_head wget --tries 1 --server-response --output-document /dev/null "$@"
  # end
}

url=$PETSTORE_BASE_URL/pets
setting=$1
set -- --header "Authorization: Bearer $PETSTORE_API_KEY" --header 'Content-Type: application/json'
[ "$PETSTORE_OPERATION" != createPet ] || set -- "$@" --post-data '{"name": "Newcomer", "categoryId": 1}'
for _ in $(seq "$PETSTORE_CALLS"); do
  if [ "$setting" = byDefault ]; then by_default "$@" "$url"; else set_right "$@" "$url"; fi || exit 1
done
