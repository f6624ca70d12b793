use strict;
use warnings;
use HTTP::Request;
use LWP::UserAgent::Determined;
use Patiently;

sub by_default {
    my ($method, $url, $headers, $pet) = @_;
    return LWP::UserAgent::Determined->new->request(HTTP::Request->new($method, $url, [%$headers], $pet))->code;
}

sub set_right {
    my ($method, $url, $headers, $pet) = @_;
    my $request = HTTP::Request->new($method, $url, [%$headers], $pet);
    # doc: set right
    my $ua = LWP::UserAgent::Determined->new;
    $ua->timing('');
    my $status = patiently(sub {
        my $response = $ua->request($request);
        return ($response->code, sub { $response->header(@_) });
    });
    # end
    return $status;
}

1;
