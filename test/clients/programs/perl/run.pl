# Makes the calls that petstore-sim asks for with one client: perl run.pl NAME byDefault|setRight
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;

my ($name, $setting) = @ARGV;
require "$name.pl";
my %headers = (Authorization => "Bearer $ENV{PETSTORE_API_KEY}", 'Content-Type' => 'application/json');
for my $number (1 .. $ENV{PETSTORE_CALLS}) {
    my $is_post = $ENV{PETSTORE_OPERATION} eq 'createPet';
    my $pet = $is_post ? qq({"name":"Newcomer $number","categoryId":1}) : '';
    my $send = $setting eq 'byDefault' ? \&by_default : \&set_right;
    my $status = $send->($is_post ? 'POST' : 'GET', "$ENV{PETSTORE_BASE_URL}/pets", \%headers, $pet);
    die "the service answered $status\n" if $status >= 400;
}
