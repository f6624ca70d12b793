package main

// doc: patiently
import (
	"net/http"
	"strconv"
	"time"
)

// askedWait is what an answer asks for: Retry-After in seconds or as a date, else X-RateLimit-Reset, else a minute.
func askedWait(header http.Header) time.Duration {
	if seconds, err := strconv.Atoi(header.Get("Retry-After")); err == nil {
		return time.Duration(seconds) * time.Second
	}
	now, err := http.ParseTime(header.Get("Date")) // the service's clock, not ours
	if err != nil {
		now = time.Now()
	}
	until := now.Add(time.Minute)
	if date, err := http.ParseTime(header.Get("Retry-After")); err == nil {
		until = date
	} else if reset, err := strconv.ParseInt(header.Get("X-RateLimit-Reset"), 10, 64); err == nil {
		until = time.Unix(reset, 0)
	}
	if wait := until.Sub(now); wait > time.Second {
		return wait
	}
	return time.Second
}

// isWorthWaiting tells a 429 of the minute from one of the day.
func isWorthWaiting(response *http.Response) bool {
	return response != nil && response.StatusCode == 429 && askedWait(response.Header) <= time.Minute
}

// end
