package main

import (
	"context"
	"net/http"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

func sendRetryable(client *retryablehttp.Client, method, url, pet string) (int, error) {
	client.Logger = nil
	request, err := retryablehttp.FromRequest(newRequest(method, url, pet))
	if err != nil {
		return 0, err
	}
	return statusOf(client.Do(request))
}

func retryableByDefault(method, url, pet string) (int, error) {
	return sendRetryable(retryablehttp.NewClient(), method, url, pet)
}

func retryableSetRight(method, url, pet string) (int, error) {
	// doc: set right
	client := retryablehttp.NewClient()
	client.CheckRetry = func(_ context.Context, response *http.Response, err error) (bool, error) {
		return isWorthWaiting(response), err
	}
	client.Backoff = func(_, _ time.Duration, _ int, response *http.Response) time.Duration {
		return askedWait(response.Header)
	}
	// end
	return sendRetryable(client, method, url, pet)
}
