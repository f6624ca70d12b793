#!/bin/bash
# Makes the calls that petstore-sim asks for with curl: bash curl.sh byDefault|setRight
by_default() { curl --silent --fail --retry 5 "$@"; }

set_right() {
  # doc: set right
  patiently "$method" curl --silent --output /dev/null --dump-header "$head" --max-time 30 "$@"
  # end
}

# doc: whole
#| #!/bin/bash
#| . ./patiently.sh
#|
#| method=GET
#| set -- --header "Authorization: Bearer $PETSTORE_API_KEY" "$PETSTORE_BASE_URL/pets"
#| <set right>
# end

data=--data
. "$(dirname "$0")/run.sh"
