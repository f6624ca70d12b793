package Patiently;
use strict;
use warnings;
use Exporter 'import';
our @EXPORT = ('patiently');

# doc: patiently
use HTTP::Date 'str2time';
use List::Util 'max';
use Time::HiRes 'sleep';

# Seconds to wait after the n-th attempt of a call, or undef to give up. A network error has a
# status of 500 or more.
sub retry_delay {
    my ($attempt, $method, $status, $field) = @_;
    # A 429 stores nothing. After any other failure a write may be stored.
    my $may_repeat = $status == 429 || $method eq 'GET' && $status >= 500;
    my $now = str2time($field->('date') // '') // time;    # the service's clock, not ours
    my $asked = $field->('retry-after') // '';
    my $date = $asked =~ / GMT$/ ? str2time($asked) // $now : $now;
    my $wait = $asked =~ /^\d+(\.\d+)?$/ ? $asked : $date - $now;
    # Unix time in seconds; with other services also in ms, or seconds left.
    my $reset = $field->('x-ratelimit-reset') // '';
    if ($status == 429 && $reset =~ /^\d+$/ && ($wait <= 0 || $wait > 60)) {
        my $left = $reset > 1e11 ? $reset / 1000 - $now : $reset > 1e8 ? $reset - $now : $reset;
        $wait = $left if $left > 0;
    }
    return if $attempt > 4 || !$may_repeat || $wait > 60;
    return max($wait, 2**($attempt - 1)) + rand() * 2**$attempt / 4;
}

# Makes a call until it succeeds or must not be sent again; gives its status.
sub patiently {
    my ($method, $send) = @_;
    for my $attempt (1 .. 5) {
        my ($status, $field) = $send->();
        my $delay = retry_delay($attempt, $method, $status, $field) // return $status;
        sleep $delay;
    }
}
# end

# doc: whole
#| <patiently>
#|
#| 1;
# end

1;
