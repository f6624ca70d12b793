<?php
// Makes PETSTORE_CALLS calls with Guzzle, sequentially; exits with code 1 if one fails permanently.
foreach (['GuzzleHttp', __DIR__ . '/vendor'] as $place) {
    @include_once "$place/autoload.php";
}
use GuzzleHttp\Client;
use GuzzleHttp\HandlerStack;
use GuzzleHttp\Middleware;

$stack = HandlerStack::create();
$stack->push(Middleware::retry(
    fn ($retries, $request, $response = null) => $retries < 4 && $response !== null && $response->getStatusCode() === 429,
    function ($retries, $response) {
        $untilReset = (int) $response->getHeaderLine('X-RateLimit-Reset') - strtotime($response->getHeaderLine('Date'));
        $seconds = $response->hasHeader('Retry-After') ? (float) $response->getHeaderLine('Retry-After') : $untilReset;
        return (int) ($seconds * 1000 + random_int(0, 100 * 2 ** $retries));
    }
));
$http = new Client(['base_uri' => getenv('PETSTORE_BASE_URL') . '/', 'handler' => $stack, 'timeout' => 30,
    'headers' => ['Authorization' => 'Bearer ' . getenv('PETSTORE_API_KEY')]]);
for ($number = 0; $number < (int) getenv('PETSTORE_CALLS'); $number++) {
    if (getenv('PETSTORE_OPERATION') === 'createPet') {
        $http->post('pets', ['json' => ['name' => 'Pet ' . getmypid() . "-$number", 'categoryId' => 1]]);
    } else {
        $http->get('pets');
    }
}
