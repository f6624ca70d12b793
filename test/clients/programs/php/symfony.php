<?php
require 'Symfony/Component/HttpClient/autoload.php';

use Symfony\Component\HttpClient\HttpClient;
use Symfony\Component\HttpClient\Response\AsyncContext;
use Symfony\Component\HttpClient\Retry\RetryStrategyInterface;
use Symfony\Component\HttpClient\RetryableHttpClient;
use Symfony\Contracts\HttpClient\Exception\TransportExceptionInterface;

// doc: set right
class Patience implements RetryStrategyInterface
{
    public function shouldRetry(AsyncContext $context, ?string $body, ?TransportExceptionInterface $error): ?bool
    {
        return !$error && isWorthWaiting($context->getStatusCode(), $this->field($context));
    }

    public function getDelay(AsyncContext $context, ?string $body, ?TransportExceptionInterface $error): int
    {
        return 1000 * askedWait($this->field($context));
    }

    private function field(AsyncContext $context): callable
    {
        return fn ($name) => $context->getHeaders()[$name][0] ?? '';
    }
}
$http = new RetryableHttpClient(HttpClient::create(), new Patience(), 4);
// end

return [
    'byDefault' => fn ($method, $url, $options) =>
        (new RetryableHttpClient(HttpClient::create()))->request($method, $url, $options)->getStatusCode(),
    'setRight' => fn ($method, $url, $options) => $http->request($method, $url, $options)->getStatusCode(),
];
