<?php
// file_get_contents, which returns false after a failure.
require __DIR__ . '/walk.php';

walk(function ($method, $url, $content, $fields) {
    $lines = array_map(fn ($name, $value) => "$name: $value", array_keys($fields), $fields);
    $options = ['method' => $method, 'header' => $lines] + ($content === null ? [] : ['content' => $content]);
    $received = @file_get_contents($url, false, stream_context_create(['http' => $options]));
    if ($received === false) {
        throw new RuntimeException(error_get_last()['message'] ?? 'no message');
    }
    return $received;
});
