# doc: patiently
# For bash. The file of the answer's head.
head=$(mktemp)
trap 'rm -f "$head"' EXIT

# A field of the answer's head; of several heads, the last.
field() { tr -d '\r' <"$head" | sed -n "s/^ *$1: //Ip" | tail -n 1; }

# Prints the seconds to wait after the n-th attempt of a call, or fails to give up. A network
# error has status 0.
retry_delay() {
  attempt=$1 method=$2 status=$3
  # A 429 stores nothing. After any other failure a write may be stored.
  case $status:$method in 429:* | 0:GET | 5*:GET) ;; *) return 1 ;; esac
  now=$(field Date)
  now=$(date -d "${now:-now}" +%s) # the service's clock, not ours
  asked=$(field Retry-After)
  case $asked in
    *' GMT') wait=$(($(date -d "$asked" +%s) - now)) ;;
    '' | .* | *[!0-9.]* | *.*.*) wait=0 ;;
    *.*) wait=$((10#${asked%.*} + 1)) ;;
    *) wait=$((10#$asked)) ;;
  esac
  reset=$(field X-RateLimit-Reset)
  if [ "$status" = 429 ] && [ -n "$reset" ] && { [ "$wait" -le 0 ] || [ "$wait" -gt 60 ]; }; then
    case ${#reset} in # Unix time in seconds; with other services also in ms, or seconds left
      10) left=$((reset - now)) ;;
      13) left=$((reset / 1000 - now)) ;;
      *) left=$reset ;;
    esac
    [ "$left" -gt 0 ] && wait=$left
  fi
  [ "$attempt" -le 4 ] && [ "$wait" -le 60 ] || return 1
  least=$((1 << (attempt - 1))) more=$((RANDOM % (250 << attempt)))
  printf '%d.%03d\n' $(((wait > least ? wait : least) + more / 1000)) $((more % 1000))
}

# Runs a command of a method until its call succeeds or must not be sent again.
patiently() {
  method=$1
  shift
  for attempt in 1 2 3 4 5; do
    : >"$head"
    "$@"
    code=$?
    status=$(sed -n 's/^ *HTTP[^ ]* \([0-9]*\).*/\1/p' "$head" | tail -n 1)
    case $code:$status in
      0:2*) return 0 ;;
      *:2* | *:) status=0 && : >"$head" ;; # no response, or one that broke off
    esac
    delay=$(retry_delay $attempt "$method" "$status") || return 1
    sleep "$delay"
  done
}
# end
