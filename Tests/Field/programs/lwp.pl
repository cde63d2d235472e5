# LWP::UserAgent with a connection that is kept.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use HTTP::Request;
use LWP::UserAgent;
use Walk;

my $agent = LWP::UserAgent->new(keep_alive => 1);
Walk::walk(sub {
    my ($method, $url, $content, @fields) = @_;
    my $response = $agent->request(HTTP::Request->new($method, $url, \@fields, $content));
    die $response->status_line . "\n" unless $response->is_success;
    return $response->content;
});
