head=$(mktemp)
trap 'rm -f "$head"' EXIT

# doc: patiently
# A field of the answer whose head is in the file $head; of several heads, the last.
field() { tr -d '\r' <"$head" | sed -n "s/^ *$1: //Ip" | tail -n 1; }

# The seconds that it asks for: Retry-After as a number or a date, else X-RateLimit-Reset, else a minute.
asked_wait() {
  asked=$(field Retry-After)
  reset=$(field X-RateLimit-Reset)
  now=$(date -d "$(field Date)" +%s) # the service's clock, not ours
  case $asked in
    *GMT) echo $(($(date -d "$asked" +%s) - now)) ;;
    '' | *[!0-9]*) echo $((${reset:-$now + 60} - now)) ;;
    *) echo "$asked" ;;
  esac
}

# Runs a command again after each 429 of the minute, four times at most; not after one of the day.
patiently() {
  for attempt in 1 2 3 4 5; do
    : >"$head"
    "$@"
    status=$(sed -n 's/^ *HTTP[^ ]* \([0-9]*\).*/\1/p' "$head" | tail -n 1)
    [ "$status" = 429 ] && [ $attempt -lt 5 ] && wait=$(asked_wait) && [ "$wait" -le 60 ] || break
    sleep "$wait"
  done
  case $status in 2*) ;; *) return 1 ;; esac
}
# end
