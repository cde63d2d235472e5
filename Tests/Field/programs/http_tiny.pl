# HTTP::Tiny, which is part of Perl and keeps its connection.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use HTTP::Tiny;
use Walk;

my $agent = HTTP::Tiny->new;
Walk::walk(sub {
    my ($method, $url, $content, %fields) = @_;
    my $response = $agent->request($method, $url, { headers => \%fields, defined $content ? (content => $content) : () });
    die "$response->{status} $response->{reason} " . ($response->{status} == 599 ? $response->{content} : '') . "\n" unless $response->{success};
    return $response->{content};
});
