package main

import (
	"net/http"

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
	client.RetryMax = 0
	client.HTTPClient = &http.Client{Transport: Patience{http.DefaultTransport}}
	// end
	return sendRetryable(client, method, url, pet)
}

// doc: whole
//| package main
//|
//| import (
//| 	"log"
//| 	"net/http"
//| 	"os"
//|
//| 	"github.com/hashicorp/go-retryablehttp"
//| )
//|
//| func main() {
//| 	<set right>
//|
//| 	request, _ := retryablehttp.NewRequest("GET", os.Getenv("PETSTORE_BASE_URL")+"/pets", nil)
//| 	request.Header.Set("Authorization", "Bearer "+os.Getenv("PETSTORE_API_KEY"))
//| 	response, err := client.Do(request)
//| 	if err != nil || response.StatusCode >= 400 {
//| 		log.Fatal("failed: ", response, err)
//| 	}
//| }
// end
