package main

import (
	"net/http"
	"os"
	"time"

	"github.com/go-resty/resty"
)

func sendResty(client *resty.Client, method, url, pet string) (int, error) {
	request := client.R().SetAuthToken(os.Getenv("PETSTORE_API_KEY"))
	if pet != "" {
		request.SetHeader("Content-Type", "application/json").SetBody(pet)
	}
	response, err := request.Execute(method, url)
	return response.StatusCode(), err
}

// As its README has it.
func restyByDefault(method, url, pet string) (int, error) {
	return sendResty(resty.New().SetRetryCount(3).SetRetryWaitTime(5*time.Second).SetRetryMaxWaitTime(20*time.Second), method, url, pet)
}

func restySetRight(method, url, pet string) (int, error) {
	// doc: set right
	client := resty.New().SetTransport(Patience{http.DefaultTransport})
	// end
	return sendResty(client, method, url, pet)
}

// doc: whole
//| package main
//|
//| import (
//| 	"log"
//| 	"net/http"
//| 	"os"
//|
//| 	"github.com/go-resty/resty"
//| )
//|
//| func main() {
//| 	<set right>
//|
//| 	request := client.R().SetAuthToken(os.Getenv("PETSTORE_API_KEY"))
//| 	response, err := request.Get(os.Getenv("PETSTORE_BASE_URL") + "/pets")
//| 	if err != nil || response.StatusCode() >= 400 {
//| 		log.Fatal("failed: ", response, err)
//| 	}
//| }
// end
