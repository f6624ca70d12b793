// Makes the calls that petstore-sim asks for with resty: go resty|restyAfter
package main

import (
	"fmt"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/go-resty/resty"
)

func main() {
	client := resty.New().SetAuthToken(os.Getenv("PETSTORE_API_KEY")).SetTimeout(8 * time.Second)
	client.SetRetryCount(4).SetRetryWaitTime(500 * time.Millisecond).SetRetryMaxWaitTime(30 * time.Second)
	client.AddRetryCondition(func(response *resty.Response, err error) bool {
		return err != nil || response.StatusCode() == http.StatusTooManyRequests
	})
	if os.Args[1] == "restyAfter" {
		client.SetRetryAfter(func(_ *resty.Client, response *resty.Response) (time.Duration, error) {
			seconds, err := strconv.Atoi(response.Header().Get("Retry-After"))
			if err != nil {
				return 0, nil
			}
			return time.Duration(seconds) * time.Second, nil
		})
	}
	calls, _ := strconv.Atoi(os.Getenv("PETSTORE_CALLS"))
	parallel, _ := strconv.Atoi(os.Getenv("PETSTORE_PARALLEL"))
	numbers := make(chan int, calls)
	for number := 1; number <= calls; number++ {
		numbers <- number
	}
	close(numbers)
	var callers sync.WaitGroup
	for ; parallel > 0; parallel-- {
		callers.Add(1)
		go func() {
			defer callers.Done()
			for number := range numbers {
				method, request := "GET", client.R()
				if os.Getenv("PETSTORE_OPERATION") == "createPet" {
					method = "POST"
					request.SetHeader("Content-Type", "application/json")
					request.SetBody(fmt.Sprintf(`{"name":"Newcomer %d","categoryId":1}`, number))
				}
				response, err := request.Execute(method, os.Getenv("PETSTORE_BASE_URL")+"/pets")
				if err != nil || response.StatusCode() >= 400 {
					fmt.Fprintln(os.Stderr, "failed:", response.StatusCode(), err)
					os.Exit(1)
				}
			}
		}()
	}
	callers.Wait()
}
