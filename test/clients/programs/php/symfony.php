<?php
require 'Symfony/Component/HttpClient/autoload.php';

use Symfony\Component\HttpClient\HttpClient;
use Symfony\Component\HttpClient\RetryableHttpClient;
use Symfony\Contracts\HttpClient\Exception\TransportExceptionInterface;
use Symfony\Contracts\HttpClient\HttpClientInterface;
use Symfony\Contracts\HttpClient\ResponseInterface;

// doc: set right
function patiently(
    HttpClientInterface $http,
    string $method,
    string $url,
    array $options = [],
): ResponseInterface
{
    for ($attempt = 1;; $attempt++) {
        $response = $http->request($method, $url, ['timeout' => 30] + $options);
        try {
            $response->getContent(false); // a response that breaks off is an error
            $headers = $response->getHeaders(false);
            $field = fn ($name) => $headers[$name][0] ?? '';
            $delay = retryDelay($attempt, $method, $response->getStatusCode(), $field);
            if ($delay === null) {
                return $response;
            }
        } catch (TransportExceptionInterface $error) {
            $delay = retryDelay($attempt, $method, 0, fn ($name) => '') ?? throw $error;
        }
        usleep(1000 * $delay);
    }
}
// end

// doc: whole
//| <?php
//| require 'Symfony/Component/HttpClient/autoload.php'; // with Composer: vendor/autoload.php
//| require __DIR__ . '/patiently.php';
//|
//| use Symfony\Component\HttpClient\HttpClient;
//| use Symfony\Contracts\HttpClient\Exception\TransportExceptionInterface;
//| use Symfony\Contracts\HttpClient\HttpClientInterface;
//| use Symfony\Contracts\HttpClient\ResponseInterface;
//|
//| <set right>
//|
//| $url = getenv('PETSTORE_BASE_URL') . '/pets';
//| $options = ['auth_bearer' => getenv('PETSTORE_API_KEY')];
//| $response = patiently(HttpClient::create(), 'GET', $url, $options);
//| if ($response->getStatusCode() >= 400) {
//|     exit(1);
//| }
// end

return [
    'byDefault' => fn ($method, $url, $options) =>
        (new RetryableHttpClient(HttpClient::create()))->request($method, $url, $options)->getStatusCode(),
    'setRight' => fn ($method, $url, $options) => patiently(HttpClient::create(), $method, $url, $options)->getStatusCode(),
];
