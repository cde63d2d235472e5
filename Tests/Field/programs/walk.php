<?php
// The requests that each program of PHP sends: it lists the rooms, books a spot in two of them, and looks after each booking.

const JSON_FIELDS = ['Content-Type' => 'application/json'];
const STEPS = [
    ['list', 'GET', '/rooms.json', null, []],
    ['write', 'POST', '/book', '{"name":"Ljerka"}', JSON_FIELDS],
    ['look', 'GET', '/rooms.json', null, []],
    ['write with key', 'POST', '/book', '{"name":"Mina"}', JSON_FIELDS + ['Idempotency-Key' => 'a-booking']],
    ['look again', 'GET', '/rooms.json', null, []],
];

/** Sends each request by `$send($method, $url, $content, $fields)`, which returns the response's content, and throws for each failure
 * that its library tells. A program that met an error tells it, waits longer than any Retry-After of the ways, goes on, and ends with 1. */
function walk(callable $send): never
{
    $failed = 0;
    foreach (STEPS as [$step, $method, $path, $content, $fields]) {
        try {
            $received = $send($method, getenv('UNDERSTUDY_URL') . $path, $content, $fields);
            echo implode("\t", [$step, 'ok', strlen($received) . ' bytes']), "\n";
        } catch (Throwable $error) {
            $failed = 1;
            echo implode("\t", [$step, 'error', preg_replace('/\s+/', ' ', get_class($error) . ': ' . $error->getMessage())]), "\n";
            usleep(1_200_000);
        }
    }
    exit($failed);
}
