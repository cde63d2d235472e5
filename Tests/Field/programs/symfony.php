<?php
// The HTTP client of Symfony. With the argument "retry" it is below RetryableHttpClient, with that one's defaults.
require 'Symfony/Component/HttpClient/autoload.php';
require __DIR__ . '/walk.php';

use Symfony\Component\HttpClient\HttpClient;
use Symfony\Component\HttpClient\RetryableHttpClient;

$client = HttpClient::create();
if (($argv[1] ?? '') === 'retry') {
    $client = new RetryableHttpClient($client);
}
walk(fn ($method, $url, $content, $fields) => $client->request($method, $url, ['headers' => $fields] + ($content === null ? [] : ['body' => $content]))->getContent());
