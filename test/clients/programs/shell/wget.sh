#!/bin/bash
# Makes the calls that petstore-sim asks for with wget: bash wget.sh byDefault|setRight
by_default() { wget --quiet --output-document /dev/null "$@"; }

set_right() {
  # doc: set right
  with_head() { "$@" 2>"$head"; }
  patiently "$method" with_head \
    wget --tries 1 --timeout 30 --server-response --output-document /dev/null "$@"
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

data=--post-data
. "$(dirname "$0")/run.sh"
