<?php
// The extension curl, with one handle for all requests.
require __DIR__ . '/walk.php';

$handle = curl_init();
walk(function ($method, $url, $content, $fields) use ($handle) {
    curl_reset($handle);
    curl_setopt_array($handle, [
        CURLOPT_URL => $url,
        CURLOPT_CUSTOMREQUEST => $method,
        CURLOPT_RETURNTRANSFER => true,
        CURLOPT_FAILONERROR => true,
        CURLOPT_HTTPHEADER => array_map(fn ($name, $value) => "$name: $value", array_keys($fields), $fields),
    ] + ($content === null ? [] : [CURLOPT_POSTFIELDS => $content]));
    $received = curl_exec($handle);
    if ($received === false) {
        throw new RuntimeException(curl_error($handle));
    }
    return $received;
});
