// Makes PETSTORE_CALLS calls with net/http; exits with code 1 if one fails permanently. Run it with `go run client.go`.
package main

import (
	"fmt"
	"log"
	"math/rand"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

func call(number int) {
	method, body := "GET", ""
	if os.Getenv("PETSTORE_OPERATION") == "createPet" {
		method, body = "POST", fmt.Sprintf(`{"name": "Pet %d-%d", "categoryId": 1}`, os.Getpid(), number)
	}
	for attempt := 1; ; attempt++ {
		request, _ := http.NewRequest(method, os.Getenv("PETSTORE_BASE_URL")+"/pets", strings.NewReader(body))
		request.Header.Set("Authorization", "Bearer "+os.Getenv("PETSTORE_API_KEY"))
		request.Header.Set("Content-Type", "application/json")
		response, err := http.DefaultClient.Do(request)
		if err != nil || response.StatusCode >= 400 && (response.StatusCode != 429 || attempt == 5) {
			log.Fatal("failed: ", err, response)
		}
		response.Body.Close()
		if response.StatusCode < 400 {
			return
		}
		seconds, err := strconv.ParseInt(response.Header.Get("Retry-After"), 10, 64)
		if err != nil {
			sent, _ := http.ParseTime(response.Header.Get("Date"))
			reset, _ := strconv.ParseInt(response.Header.Get("X-RateLimit-Reset"), 10, 64)
			seconds = reset - sent.Unix()
		}
		time.Sleep(time.Duration(seconds)*time.Second + time.Duration(rand.Intn(100<<attempt))*time.Millisecond)
	}
}

func main() {
	calls, _ := strconv.Atoi(os.Getenv("PETSTORE_CALLS"))
	parallel, _ := strconv.Atoi(os.Getenv("PETSTORE_PARALLEL"))
	places := make(chan bool, parallel)
	for number := 0; number < calls; number++ {
		places <- true
		go func(number int) { call(number); <-places }(number)
	}
	for ; parallel > 0; parallel-- {
		places <- true // free again when the last calls are done
	}
}
