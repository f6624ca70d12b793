// Makes the calls that petstore-sim asks for with one client: run NAME byDefault|setRight
package main

import (
	"fmt"
	"os"
	"strconv"
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
	for number := 1; number <= calls; number++ {
		method, pet := "GET", ""
		if os.Getenv("PETSTORE_OPERATION") == "createPet" {
			method, pet = "POST", fmt.Sprintf(`{"name":"Newcomer %d","categoryId":1}`, number)
		}
		status, err := clients[os.Args[1]][os.Args[2]](method, os.Getenv("PETSTORE_BASE_URL")+"/pets", pet)
		if err != nil || status >= 400 {
			fmt.Fprintln(os.Stderr, "failed:", status, err)
			os.Exit(1)
		}
	}
}
