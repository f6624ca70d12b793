// Package petstoresim gives each Go test a Petstore of its own. Copy this file to a folder petstoresim of your module.
//
//	func TestMain(m *testing.M) { os.Exit(petstoresim.Main(m)) }
//	func TestClientWaits(t *testing.T) {
//		petstore := petstoresim.New(t)
//		petstore.Exhaust("minute")
//		NewClient(petstore.BaseURL, petstore.APIKey).List()
//	}
//
// A test fails if its client failed the verdict or sent nothing. PETSTORE_SIM_URL is the control API of a running server to use.
package petstoresim

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"
)

var server = strings.TrimSuffix(os.Getenv("PETSTORE_SIM_URL"), "/")

// Main starts one server for all tests of a package, runs them, and stops it. It returns the exit code.
func Main(m *testing.M) int {
	if server != "" {
		return m.Run()
	}
	words := strings.Fields("npx --no-install petstore-sim serve --port 0 --log json --until-eof")
	if own := strings.Fields(os.Getenv("PETSTORE_SIM_COMMAND")); len(own) > 0 {
		words = append(own, words[3:]...)
	}
	command := exec.Command(words[0], words[1:]...)
	command.Stderr = os.Stderr
	input, _ := command.StdinPipe() // the end of this process ends it, and so the server
	output, _ := command.StdoutPipe()
	var listening struct{ ControlURL string }
	err := command.Start()
	if err == nil {
		err = json.NewDecoder(output).Decode(&listening)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "petstoresim: expected %q to start a server, got %v: install petstore-sim here, or set PETSTORE_SIM_COMMAND\n", words, err)
		return 2
	}
	defer input.Close()
	server = listening.ControlURL
	return m.Run()
}

// Sandbox is a Petstore of one test: pets, keys, limits, bans, clock and journal of its own.
type Sandbox struct {
	BaseURL, APIKey, ControlURL, key string
	t                                testing.TB
}

// New makes a sandbox for the test, with a scenario if one is named.
func New(t testing.TB, scenario ...string) *Sandbox {
	if server == "" {
		t.Fatal("expected func TestMain(m *testing.M) { os.Exit(petstoresim.Main(m)) }, or PETSTORE_SIM_URL")
	}
	name := regexp.MustCompile(`\W+`).ReplaceAllString(t.Name(), "-")
	body := map[string]any{"name": fmt.Sprintf("%.40s-%x", name, time.Now().UnixNano())}
	if len(scenario) > 0 {
		body["scenario"] = scenario[0]
	}
	s := &Sandbox{ControlURL: strings.TrimSuffix(server, "/__sim") + "/__sim", t: t}
	made := s.Control("POST", "/sandboxes", body)
	s.BaseURL, s.APIKey, s.ControlURL = made["baseUrl"].(string), made["apiKey"].(string), made["controlUrl"].(string)
	s.key = "/keys/" + url.PathEscape(s.APIKey)
	t.Cleanup(s.end)
	return s
}

// Control calls an operation of the control API, such as GET /clock, with a body or nil.
func (s *Sandbox) Control(method, path string, body map[string]any) (result map[string]any) {
	text, _ := json.Marshal(body)
	request, _ := http.NewRequest(method, s.ControlURL+path, strings.NewReader(strings.TrimPrefix(string(text), "null")))
	request.Header = http.Header{"Content-Type": {"application/json"}, "Authorization": {"Bearer " + os.Getenv("PETSTORE_SIM_TOKEN")}}
	response, err := http.DefaultClient.Do(request)
	if err == nil {
		defer response.Body.Close()
		err = json.NewDecoder(response.Body).Decode(&result)
	}
	if err != nil || response.StatusCode >= 400 {
		s.t.Fatal(method, path, err, result["message"])
	}
	return result
}

func (s *Sandbox) post(path, field string, v any) { s.Control("POST", path, map[string]any{field: v}) }

// Exhaust uses up a window of the key, "minute" or "day", so that its next request gets 429.
func (s *Sandbox) Exhaust(window string) { s.post(s.key+"/exhaust", "window", window) }

// Ban bans the key from now on.
func (s *Sandbox) Ban(wait time.Duration) { s.post(s.key+"/ban", "for", wait.Milliseconds()) }

// Advance moves the clock of the sandbox forward.
func (s *Sandbox) Advance(time time.Duration) { s.post("/clock", "advance", time.Milliseconds()) }

// Journal gives the requests that meet a query such as "status=429", the oldest first.
func (s *Sandbox) Journal(query string) []any {
	return s.Control("GET", "/journal?"+query, nil)["entries"].([]any)
}

// end fails a test on the verdict, also one that failed by itself, and removes the sandbox.
func (s *Sandbox) end() {
	verdict := s.Control("GET", "/verdict?ended=true", nil)
	text := verdict["reason"].(string)
	for _, each := range verdict["findings"].([]any) {
		if found := each.(map[string]any); found["severity"] == "fail" {
			text += fmt.Sprintf("\n  %s: %s", found["code"], found["text"])
		}
	}
	isSilent := verdict["counts"].(map[string]any)["requests"] == 0.0
	if !s.t.Skipped() && (verdict["outcome"] == "fail" || isSilent && !s.t.Failed()) {
		s.t.Error(text)
	}
	s.Control("DELETE", "", nil)
}
