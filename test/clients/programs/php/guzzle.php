<?php
require 'GuzzleHttp/autoload.php';

use GuzzleHttp\Client;
use GuzzleHttp\HandlerStack;
use GuzzleHttp\Middleware;

// doc: set right
// A response that breaks off is no response.
$isWhole = fn ($response) => $response
    && $response->getBody()->getSize() >= (int) $response->getHeaderLine('Content-Length');
$delay = fn ($attempt, $method, $response) => $isWhole($response)
    ? retryDelay(
        $attempt,
        $method,
        $response->getStatusCode(),
        fn ($name) => $response->getHeaderLine($name)
    )
    : retryDelay($attempt, $method, 0, fn ($name) => '');
$stack = HandlerStack::create();
$stack->push(Middleware::retry(
    fn ($retries, $request, $response = null) =>
        $delay($retries + 1, $request->getMethod(), $response) !== null,
    // Only for what may be repeated.
    fn ($retries, $response = null) => $delay($retries, 'GET', $response)
));
$http = new Client(['handler' => $stack, 'timeout' => 30]);
// end

// doc: whole
//| <?php
//| require 'GuzzleHttp/autoload.php'; // with Composer: vendor/autoload.php
//| require __DIR__ . '/patiently.php';
//|
//| use GuzzleHttp\Client;
//| use GuzzleHttp\HandlerStack;
//| use GuzzleHttp\Middleware;
//|
//| <set right>
//|
//| $headers = ['Authorization' => 'Bearer ' . getenv('PETSTORE_API_KEY')];
//| $http->get(getenv('PETSTORE_BASE_URL') . '/pets', ['headers' => $headers]);
// end

return [
    'byDefault' => fn ($method, $url, $options) => (new Client())->request($method, $url, $options)->getStatusCode(),
    'setRight' => fn ($method, $url, $options) => $http->request($method, $url, $options)->getStatusCode(),
];
