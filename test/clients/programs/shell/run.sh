# The calls that petstore-sim asks for; curl.sh and wget.sh have the functions by_default and set_right, which make one:
#   METHOD BODY and the options that curl and wget have in common
. "$(dirname "$0")/patiently.sh"
setting=$1
method=GET
[ "$PETSTORE_OPERATION" != createPet ] || method=POST

# Each caller is a process, with every n-th call.
caller() {
  head=$head.$1
  trap 'rm -f "$head"' EXIT
  for ((number = $1; number <= PETSTORE_CALLS; number += PETSTORE_PARALLEL)); do
    pet="{\"name\": \"Newcomer $number\", \"categoryId\": 1}"
    set -- --header "Authorization: Bearer $PETSTORE_API_KEY" --header 'Content-Type: application/json'
    [ $method = GET ] || set -- "$@" "$data" "$pet"
    if [ "$setting" = byDefault ]; then by_default "$@" "$url"; else set_right "$@" "$url"; fi || exit 1
  done
}

url=$PETSTORE_BASE_URL/pets
callers=
for first in $(seq "$PETSTORE_PARALLEL"); do
  (caller "$first") &
  callers="$callers $!"
done
failed=0
for each in $callers; do wait "$each" || failed=1; done
exit $failed
