<?php
// doc: patiently
/**
 * Milliseconds to wait after the n-th attempt of a call, or null to give up. A network error has
 * status 0.
 */
function retryDelay(int $attempt, string $method, int $status, callable $field): ?int
{
    // A 429 stores nothing. After any other failure a write may be stored.
    $mayRepeat = $status === 429 || $method === 'GET' && ($status === 0 || $status >= 500);
    $now = strtotime($field('date')) ?: time(); // the service's clock, not ours
    $asked = $field('retry-after');
    // strtotime('-5') is a time.
    $date = str_ends_with($asked, ' GMT') ? strtotime($asked) : false;
    $wait = preg_match('/^\d+(\.\d+)?$/', $asked) ? (float) $asked : ($date ?: $now) - $now;
    // Unix time in seconds; with other services also in ms, or seconds left.
    $reset = $status === 429 ? $field('x-ratelimit-reset') : '';
    if (ctype_digit($reset) && ($wait <= 0 || $wait > 60)) {
        $left = $reset > 1e11 ? $reset / 1000 - $now : ($reset > 1e8 ? $reset - $now : $reset);
        $wait = $left > 0 ? $left : $wait;
    }
    if ($attempt > 4 || !$mayRepeat || $wait > 60) {
        return null;
    }
    return (int) (1000 * max($wait, 2 ** ($attempt - 1))) + random_int(0, 250 * 2 ** $attempt);
}
// end

// doc: whole
//| <?php
//| <patiently>
// end
