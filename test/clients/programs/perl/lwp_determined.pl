use strict;
use warnings;
use HTTP::Request;
use LWP::Protocol::http; # loaded once, before the callers fork
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
    my $ua = LWP::UserAgent::Determined->new(timeout => 30);
    $ua->timing('');
    my $status = patiently($method, sub {
        my $response = $ua->request($request);
        # A response that breaks off has the status of its head.
        my $is_whole = length ${$response->content_ref} >= ($response->content_length // 0);
        return ($is_whole ? $response->code : 500, sub { $response->header(@_) });
    });
    # end
    return $status;
}

1;
