package main

import (
	"net/http"
	"os"
	"strings"
	"time"
)

func newRequest(method, url, pet string) *http.Request {
	request, _ := http.NewRequest(method, url, strings.NewReader(pet))
	request.Header.Set("Authorization", "Bearer "+os.Getenv("PETSTORE_API_KEY"))
	request.Header.Set("Content-Type", "application/json")
	return request
}

func statusOf(response *http.Response, err error) (int, error) {
	if err != nil {
		return 0, err
	}
	response.Body.Close()
	return response.StatusCode, nil
}

func netHTTPByDefault(method, url, pet string) (int, error) {
	return statusOf(http.DefaultClient.Do(newRequest(method, url, pet)))
}

func netHTTPSetRight(method, url, pet string) (int, error) {
	return statusOf(patiently(http.DefaultClient, newRequest(method, url, pet)))
}

// doc: set right
// patiently sends a request again after each 429, four times at most.
func patiently(client *http.Client, request *http.Request) (*http.Response, error) {
	for attempt := 1; ; attempt++ {
		response, err := client.Do(request)
		if attempt == 5 || !isWorthWaiting(response) {
			return response, err
		}
		response.Body.Close()
		time.Sleep(askedWait(response.Header))
		if request.GetBody != nil {
			request.Body, _ = request.GetBody()
		}
	}
}

// end
