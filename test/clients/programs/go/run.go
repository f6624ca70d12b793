// Makes the calls that petstore-sim asks for with one client: run NAME byDefault|setRight
package main

import (
	"fmt"
	"os"
	"strconv"
	"sync"
)

// A send makes one call and returns the status of its last answer.
type send func(method, url, pet string) (int, error)

var clients = map[string]map[string]send{
	"net-http":      {"byDefault": netHTTPByDefault, "setRight": netHTTPSetRight},
	"retryablehttp": {"byDefault": retryableByDefault, "setRight": retryableSetRight},
	"resty":         {"byDefault": restyByDefault, "setRight": restySetRight},
}

func main() {
	calls, _ := strconv.Atoi(os.Getenv("PETSTORE_CALLS"))
	parallel, _ := strconv.Atoi(os.Getenv("PETSTORE_PARALLEL"))
	send := clients[os.Args[1]][os.Args[2]]
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
				method, pet := "GET", ""
				if os.Getenv("PETSTORE_OPERATION") == "createPet" {
					method, pet = "POST", fmt.Sprintf(`{"name":"Newcomer %d","categoryId":1}`, number)
				}
				status, err := send(method, os.Getenv("PETSTORE_BASE_URL")+"/pets", pet)
				if err != nil || status >= 400 {
					fmt.Fprintln(os.Stderr, "failed:", status, err)
					os.Exit(1)
				}
			}
		}()
	}
	callers.Wait()
}
