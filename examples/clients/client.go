// PETSTORE_CALLS calls with net/http; exit code 1 when one fails for good. Run it with `go run client.go`.
package main

import (
	"fmt"
	"math/rand"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

func call(number int) {
	for attempt := 1; ; attempt++ {
		method, body := "GET", ""
		if os.Getenv("PETSTORE_OPERATION") == "createPet" {
			method, body = "POST", fmt.Sprintf(`{"name": "Pet %d-%d", "categoryId": 1}`, os.Getpid(), number)
		}
		request, _ := http.NewRequest(method, os.Getenv("PETSTORE_BASE_URL")+"/pets", strings.NewReader(body))
		request.Header.Set("Authorization", "Bearer "+os.Getenv("PETSTORE_API_KEY"))
		request.Header.Set("Content-Type", "application/json")
		response, err := http.DefaultClient.Do(request)
		if err != nil || response.StatusCode >= 400 && (response.StatusCode != 429 || attempt == 5) {
			fmt.Fprintln(os.Stderr, "failed:", err, response)
			os.Exit(1)
		}
		response.Body.Close()
		if response.StatusCode < 400 {
			return
		}
		reset, _ := strconv.ParseInt(response.Header.Get("X-RateLimit-Reset"), 10, 64)
		sent, _ := http.ParseTime(response.Header.Get("Date"))
		seconds := reset - sent.Unix()
		if asked, err := strconv.ParseInt(response.Header.Get("Retry-After"), 10, 64); err == nil {
			seconds = asked
		}
		time.Sleep(time.Duration(seconds)*time.Second + time.Duration(rand.Intn(100<<attempt))*time.Millisecond)
	}
}

func main() {
	calls, _ := strconv.Atoi(os.Getenv("PETSTORE_CALLS"))
	parallel, _ := strconv.Atoi(os.Getenv("PETSTORE_PARALLEL"))
	numbers := make(chan int)
	var callers sync.WaitGroup
	for range make([]int, parallel) {
		callers.Add(1)
		go func() {
			defer callers.Done()
			for number := range numbers {
				call(number)
			}
		}()
	}
	for number := 0; number < calls; number++ {
		numbers <- number
	}
	close(numbers)
	callers.Wait()
}
