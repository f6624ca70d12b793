use strict;
use warnings;
use HTTP::Request;
use LWP::UserAgent;
use Patiently;

sub by_default {
    my ($method, $url, $headers, $pet) = @_;
    return LWP::UserAgent->new->request(HTTP::Request->new($method, $url, [%$headers], $pet))->code;
}

sub set_right {
    my ($method, $url, $headers, $pet) = @_;
    my $ua = LWP::UserAgent->new;
    my $request = HTTP::Request->new($method, $url, [%$headers], $pet);
    # doc: set right
    my $status = patiently(sub {
        my $response = $ua->request($request);
        return ($response->code, sub { $response->header(@_) });
    });
    # end
    return $status;
}

1;
