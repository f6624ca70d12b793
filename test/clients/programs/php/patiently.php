<?php
// doc: patiently
/** The seconds that an answer asks for: Retry-After as a number or a date, else X-RateLimit-Reset, else a minute. */
function askedWait(callable $field): int
{
    $asked = $field('retry-after');
    if (ctype_digit($asked)) {
        return (int) $asked;
    }
    $now = strtotime($field('date')); // the service's clock, not ours
    return max(1, (int) (strtotime($asked) ?: $field('x-ratelimit-reset') ?: $now + 60) - $now);
}

/** Whether it is a 429 of the minute, not of the day. */
function isWorthWaiting(int $status, callable $field): bool
{
    return $status === 429 && askedWait($field) <= 60;
}
// end
