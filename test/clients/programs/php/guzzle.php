<?php
require 'GuzzleHttp/autoload.php';

use GuzzleHttp\Client;
use GuzzleHttp\HandlerStack;
use GuzzleHttp\Middleware;

// doc: set right
$field = fn ($response) => fn ($name) => $response->getHeaderLine($name);
$stack = HandlerStack::create();
$stack->push(Middleware::retry(
    fn ($retries, $request, $response = null) =>
        $retries < 4 && $response && isWorthWaiting($response->getStatusCode(), $field($response)),
    fn ($retries, $response) => 1000 * askedWait($field($response))
));
$http = new Client(['handler' => $stack]);
// end

return [
    'byDefault' => fn ($method, $url, $options) => (new Client())->request($method, $url, $options)->getStatusCode(),
    'setRight' => fn ($method, $url, $options) => $http->request($method, $url, $options)->getStatusCode(),
];
