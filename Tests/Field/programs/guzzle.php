<?php
// Guzzle, which throws for a status of failure.
require 'GuzzleHttp/autoload.php';
require __DIR__ . '/walk.php';

$client = new GuzzleHttp\Client();
walk(fn ($method, $url, $content, $fields) => (string) $client->request($method, $url, ['headers' => $fields, 'body' => $content])->getBody());
