# The requests that each program of Perl sends: it lists the rooms, books a spot in two of them, and looks after each booking.
package Walk;
use strict;
use warnings;

my @json = ('Content-Type' => 'application/json');
my @steps = (
    ['list', 'GET', '/rooms.json', undef],
    ['write', 'POST', '/book', '{"name":"Ljerka"}', @json],
    ['look', 'GET', '/rooms.json', undef],
    ['write with key', 'POST', '/book', '{"name":"Mina"}', @json, 'Idempotency-Key' => 'a-booking'],
    ['look again', 'GET', '/rooms.json', undef],
);

# Sends each request by $send->($method, $url, $content, %fields), which returns the response's content, and dies for each failure that
# its library tells. A program that met an error tells it, waits longer than any Retry-After of the ways, goes on,
# and ends with 1.
sub walk {
    my ($send) = @_;
    my $failed = 0;
    for (@steps) {
        my ($step, $method, $path, $content, @fields) = @$_;
        my $received = eval { $send->($method, $ENV{UNDERSTUDY_URL} . $path, $content, @fields) };
        if (my $error = $@) {
            $failed = 1;
            print join("\t", $step, 'error', join(' ', split ' ', $error)), "\n";
            sleep 2;
        } else {
            print join("\t", $step, 'ok', length($received) . ' bytes'), "\n";
        }
    }
    exit $failed;
}

1;
