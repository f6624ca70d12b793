// doc: patiently
package main

import (
	"bytes"
	"context"
	"io"
	"math/rand"
	"net/http"
	"strconv"
	"time"
)

// Patience sends a request until it succeeds or must not be sent again.
type Patience struct{ http.RoundTripper }

func (p Patience) RoundTrip(request *http.Request) (*http.Response, error) {
	for attempt := 1; ; attempt++ {
		response, err := p.sendWhole(request)
		delay, ok := retryDelay(attempt, request.Method, response)
		if !ok {
			return response, err
		}
		select {
		case <-time.After(delay):
		case <-request.Context().Done():
			return nil, request.Context().Err()
		}
	}
}

// sendWhole has a time limit, and reads the whole body: a response that breaks off is an error.
func (p Patience) sendWhole(request *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(request.Context(), 30*time.Second)
	defer cancel()
	attempt := request.Clone(ctx)
	if request.GetBody != nil {
		attempt.Body, _ = request.GetBody()
	}
	response, err := p.RoundTripper.RoundTrip(attempt)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	response.Body = io.NopCloser(bytes.NewReader(body))
	return response, nil
}

// retryDelay is the wait after the n-th attempt of a call; false means to give up.
// A network error has no response.
func retryDelay(attempt int, method string, response *http.Response) (time.Duration, bool) {
	status, header := 0, http.Header{}
	if response != nil {
		status, header = response.StatusCode, response.Header
	}
	// A 429 stores nothing. After any other failure a write may be stored.
	mayRepeat := status == 429 || method == "GET" && (status == 0 || status >= 500)
	now, err := http.ParseTime(header.Get("Date")) // the service's clock, not ours
	if err != nil {
		now = time.Now()
	}
	wait := time.Duration(0)
	seconds, err := strconv.ParseFloat(header.Get("Retry-After"), 64)
	if err == nil && seconds >= 0 && seconds < 1<<32 {
		wait = time.Duration(seconds * float64(time.Second))
	} else if date, err := http.ParseTime(header.Get("Retry-After")); err == nil {
		wait = date.Sub(now)
	}
	reset, err := strconv.ParseInt(header.Get("X-RateLimit-Reset"), 10, 64)
	if status == 429 && err == nil && (wait <= 0 || wait > time.Minute) {
		left := time.Duration(reset) * time.Second
		switch { // Unix time in seconds; with other services also in ms, or seconds left
		case reset > 1e11:
			left = time.UnixMilli(reset).Sub(now)
		case reset > 1e8:
			left = time.Unix(reset, 0).Sub(now)
		}
		if left > 0 {
			wait = left
		}
	}
	if attempt > 4 || !mayRepeat || wait > time.Minute {
		return 0, false
	}
	if least := time.Second << (attempt - 1); wait < least {
		wait = least
	}
	return wait + time.Duration(rand.Int63n(int64(time.Second/4)<<attempt)), true
}

// end
