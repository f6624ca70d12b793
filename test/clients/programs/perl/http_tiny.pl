use strict;
use warnings;
use HTTP::Tiny;
use Patiently;

sub by_default {
    my ($method, $url, $headers, $pet) = @_;
    return HTTP::Tiny->new->request($method, $url, { headers => $headers, content => $pet })->{status};
}

sub set_right {
    my ($method, $url, $headers, $pet) = @_;
    # doc: set right
    my $http = HTTP::Tiny->new(timeout => 30);
    my $status = patiently($method, sub {
        my $response = $http->request($method, $url, { headers => $headers, content => $pet });
        return ($response->{status}, sub { $response->{headers}{$_[0]} });
    });
    # end
    return $status;
}

# doc: whole
#| use HTTP::Tiny;
#| require './patiently.pl';
#|
#| my ($method, $url, $pet) = ('GET', "$ENV{PETSTORE_BASE_URL}/pets", '');
#| my $headers = { Authorization => "Bearer $ENV{PETSTORE_API_KEY}" };
#| <set right>
#| die "the service answered $status\n" if $status >= 400;
# end

1;
