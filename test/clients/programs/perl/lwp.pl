use strict;
use warnings;
use HTTP::Request;
use LWP::Protocol::http; # loaded once, before the callers fork
use LWP::UserAgent;
use Patiently;

sub by_default {
    my ($method, $url, $headers, $pet) = @_;
    return LWP::UserAgent->new->request(HTTP::Request->new($method, $url, [%$headers], $pet))->code;
}

sub set_right {
    my ($method, $url, $headers, $pet) = @_;
    my $request = HTTP::Request->new($method, $url, [%$headers], $pet);
    # doc: set right
    my $ua = LWP::UserAgent->new(timeout => 30);
    my $status = patiently($method, sub {
        my $response = $ua->request($request);
        # A response that breaks off has the status of its head.
        my $is_whole = length ${$response->content_ref} >= ($response->content_length // 0);
        return ($is_whole ? $response->code : 500, sub { $response->header(@_) });
    });
    # end
    return $status;
}

# doc: whole
#| use HTTP::Request;
#| use LWP::UserAgent;
#| require './patiently.pl';
#|
#| my $method = 'GET';
#| my $headers = [Authorization => "Bearer $ENV{PETSTORE_API_KEY}"];
#| my $request = HTTP::Request->new($method, "$ENV{PETSTORE_BASE_URL}/pets", $headers);
#| <set right>
#| die "the service answered $status\n" if $status >= 400;
# end

1;
