package Patiently;
use strict;
use warnings;
use Exporter 'import';
our @EXPORT = ('patiently');

# doc: patiently
use HTTP::Date 'str2time';

# The seconds that an answer asks for: Retry-After as a number or a date, else X-RateLimit-Reset, else a minute.
sub asked_wait {
    my ($field) = @_;
    my $asked = $field->('retry-after') // '';
    return $asked if $asked =~ /^\d+$/;
    my $now = str2time($field->('date'));    # the service's clock, not ours
    my $until = str2time($asked) // $field->('x-ratelimit-reset') // $now + 60;
    return $until - $now > 1 ? $until - $now : 1;
}

# Makes a call again after each 429 of the minute, four times at most; not after one of the day.
sub patiently {
    my ($send) = @_;
    for (1 .. 4) {
        my ($status, $field) = $send->();
        return $status if $status != 429 || asked_wait($field) > 60;
        sleep asked_wait($field);
    }
    return ($send->())[0];
}
# end

1;
