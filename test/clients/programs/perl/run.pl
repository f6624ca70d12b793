# Makes the calls that petstore-sim asks for with one client: perl run.pl NAME byDefault|setRight
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;

my ($name, $setting) = @ARGV;
require "$name.pl";
my %headers = (Authorization => "Bearer $ENV{PETSTORE_API_KEY}", 'Content-Type' => 'application/json');
my $send = $setting eq 'byDefault' ? \&by_default : \&set_right;
my $is_post = $ENV{PETSTORE_OPERATION} eq 'createPet';

# Each caller is a process, with every n-th call.
my $parallel = $ENV{PETSTORE_PARALLEL};
my @callers;
for my $caller (1 .. $parallel) {
    my $pid = fork // die "fork: $!";
    push @callers, $pid and next if $pid;
    srand;
    for (my $number = $caller; $number <= $ENV{PETSTORE_CALLS}; $number += $parallel) {
        my $pet = $is_post ? qq({"name":"Newcomer $number","categoryId":1}) : '';
        my $status = $send->($is_post ? 'POST' : 'GET', "$ENV{PETSTORE_BASE_URL}/pets", \%headers, $pet);
        die "the service answered $status\n" if $status >= 400;
    }
    exit 0;
}
my $failed = grep { waitpid($_, 0) && $? } @callers;
exit($failed ? 1 : 0);
