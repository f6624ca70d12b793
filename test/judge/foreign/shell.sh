#!/bin/bash
# Makes the calls that petstore-sim asks for with aria2, which has no POST: bash shell.sh aria2|aria2_eager
case $1 in
  aria2) set -- --max-tries=5 --retry-wait=3 ;;
  aria2_eager) set -- --max-tries=8 --retry-wait=1 ;;
esac
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
callers=
for caller in $(seq "$PETSTORE_PARALLEL"); do
  (
    for ((number = caller; number <= PETSTORE_CALLS; number += PETSTORE_PARALLEL)); do
      aria2c --quiet --no-conf --dir "$folder" --out "$number" --allow-overwrite=true --timeout=10 \
        --header "Authorization: Bearer $PETSTORE_API_KEY" "$@" "$PETSTORE_BASE_URL/pets" || exit 1
    done
  ) &
  callers="$callers $!"
done
failed=0
for each in $callers; do wait "$each" || failed=1; done
exit $failed
