package main

import (
	"io"
	"net/http"
	"os"
	"strings"
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
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, response.Body)
	return response.StatusCode, err
}

func netHTTPByDefault(method, url, pet string) (int, error) {
	return statusOf(http.DefaultClient.Do(newRequest(method, url, pet)))
}

func netHTTPSetRight(method, url, pet string) (int, error) {
	return statusOf(patientClient.Do(newRequest(method, url, pet)))
}

// doc: set right
var patientClient = &http.Client{Transport: Patience{http.DefaultTransport}}

// end

// doc: whole
//| package main
//|
//| import (
//| 	"log"
//| 	"net/http"
//| 	"os"
//| )
//|
//| <set right>
//|
//| func main() {
//| 	request, _ := http.NewRequest("GET", os.Getenv("PETSTORE_BASE_URL")+"/pets", nil)
//| 	request.Header.Set("Authorization", "Bearer "+os.Getenv("PETSTORE_API_KEY"))
//| 	response, err := patientClient.Do(request)
//| 	if err != nil || response.StatusCode >= 400 {
//| 		log.Fatal("failed: ", response, err)
//| 	}
//| }
// end
