package client

import (
	"net/http"
	"os"
	"strconv"
	"testing"
	"time"

	"example.com/client/petstoresim"
)

func TestMain(m *testing.M) { os.Exit(petstoresim.Main(m)) }

// list is a client: it waits by a function of Retry-After, and asks again. It returns the last status.
func list(t *testing.T, petstore *petstoresim.Sandbox, wait func(time.Duration)) int {
	for attempt := 1; attempt <= 5; attempt++ {
		request, _ := http.NewRequest("GET", petstore.BaseURL+"/pets", nil)
		request.Header.Set("Authorization", "Bearer "+petstore.APIKey)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode == 200 {
			return 200
		}
		seconds, _ := strconv.Atoi(response.Header.Get("Retry-After"))
		wait(time.Duration(seconds) * time.Second)
	}
	return 429
}

func TestWaits(t *testing.T) {
	petstore := petstoresim.New(t)
	petstore.Exhaust("minute")
	list(t, petstore, petstore.Advance)
	if found := petstore.Journal("status=429"); len(found) != 1 {
		t.Errorf("expected one refusal, got %d", len(found))
	}
}

func TestWaitsForTheEndOfABan(t *testing.T) {
	petstore := petstoresim.New(t, "minute-wall")
	petstore.Ban(90 * time.Second)
	list(t, petstore, petstore.Advance)
}

func TestRetriesTooEarly(t *testing.T) {
	petstore := petstoresim.New(t)
	petstore.Exhaust("minute")
	list(t, petstore, func(time.Duration) { time.Sleep(100 * time.Millisecond) })
}

func TestSendsNothing(t *testing.T) { petstoresim.New(t) }

func TestFailsFirst(t *testing.T) {
	petstore := petstoresim.New(t)
	petstore.Exhaust("minute")
	if status := list(t, petstore, func(time.Duration) { time.Sleep(100 * time.Millisecond) }); status != 200 {
		t.Fatal("expected 200, got", status)
	}
}

func TestIsSkipped(t *testing.T) {
	petstoresim.New(t)
	t.Skip("not today")
}
