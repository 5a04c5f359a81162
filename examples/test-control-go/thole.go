// Package thole starts Thole once, and gives each test a fork: a server of its own with the same objects.
package thole

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// Server is a server with its test control. Config is for clients of its API, as a member of system:masters.
type Server struct {
	Config  *rest.Config
	control string
	token   string
	client  *http.Client
	stop    func() error
}

// Rule says which requests meet a fault: {"verbs": ["update"], "resource": "widgets", "nth": 1, "answer": {"reason": "Conflict"}}.
type Rule map[string]any

// Request is a request that a recording has.
type Request struct {
	User, Verb, Method, URL string
	Status                  int
	Body, Answer            json.RawMessage
}

// shared is the server of this process.
var shared = sync.OnceValues(func() (*Server, error) {
	if os.Getenv("THOLE_TEST_URL") != "" {
		return connect(os.Getenv)
	}
	command := strings.Fields(os.Getenv("THOLE"))
	if len(command) == 0 {
		command = []string{"node_modules/.bin/thole"}
	}
	return Start(context.Background(), command...)
})

// Shared is the server that the variables THOLE_TEST_URL, THOLE_TEST_TOKEN and KUBECONFIG name, so that several packages have one; without them, one that is started
// once in this process, by the command in THOLE.
func Shared(t testing.TB) *Server {
	t.Helper()
	server, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	return server
}

// Start runs the command, such as "node_modules/.bin/thole", and waits until the server is ready. Not npx, which does not pass signals on.
func Start(ctx context.Context, command ...string) (*Server, error) {
	words := append(command[1:], "--test-control", "--data-dir=:memory:", "--secure-port=0", "--exit-on-stdin-close")
	program := exec.CommandContext(ctx, command[0], words...)
	program.Stderr = os.Stderr
	program.Cancel = func() error { return program.Process.Signal(syscall.SIGTERM) }
	program.WaitDelay = 20 * time.Second
	// Open as long as this process lives: the server ends when it closes, even if the tests are killed.
	if _, err := program.StdinPipe(); err != nil {
		return nil, err
	}
	output, err := program.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := program.Start(); err != nil {
		return nil, err
	}
	printed := map[string]string{}
	for lines := bufio.NewScanner(output); printed["KUBECONFIG"] == "" && lines.Scan(); {
		if name, value, found := strings.Cut(strings.TrimPrefix(lines.Text(), "export "), "="); found {
			printed[name] = value
		}
	}
	if printed["KUBECONFIG"] == "" {
		return nil, fmt.Errorf("the server ended before it was ready: %w", program.Wait())
	}
	server, err := connect(func(name string) string { return printed[name] })
	if err == nil {
		server.stop = func() error { return errors.Join(program.Process.Signal(syscall.SIGTERM), program.Wait()) }
	}
	return server, err
}

// Stop ends a server that was started.
func (s *Server) Stop() error { return s.stop() }

func connect(variable func(string) string) (*Server, error) {
	kubeconfig, err := os.ReadFile(variable("KUBECONFIG"))
	if err != nil {
		return nil, err
	}
	return serverOf(variable("THOLE_TEST_URL"), variable("THOLE_TEST_TOKEN"), kubeconfig)
}

func serverOf(control, token string, kubeconfig []byte) (*Server, error) {
	config, err := clientcmd.RESTConfigFromKubeConfig(kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("cannot read the kubeconfig: %w", err)
	}
	config.QPS = -1 // No client-side limit.
	authorities := x509.NewCertPool()
	authorities.AppendCertsFromPEM(config.CAData)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: authorities}, IdleConnTimeout: 5 * time.Second}}
	return &Server{Config: config, control: control, token: token, client: client, stop: func() error { return nil }}, nil
}

// Fork opens a fork, which is closed at the end of the test. Nothing that the test writes is seen by others.
func (s *Server) Fork(t testing.TB) *Server { t.Helper(); return s.fork(t, nil) }

// ForkWithClock opens a fork whose time stands still until Advance.
func (s *Server) ForkWithClock(t testing.TB) *Server {
	t.Helper()
	return s.fork(t, map[string]any{"clock": "manual"})
}

func (s *Server) fork(t testing.TB, body any) *Server {
	t.Helper()
	var made struct{ ID, URL, Kubeconfig string }
	s.Do(t, http.MethodPost, "forks", body, &made)
	fork, err := serverOf(made.URL+"/test", s.token, []byte(made.Kubeconfig))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		fork.client.CloseIdleConnections()
		s.Do(t, http.MethodDelete, "forks/"+made.ID, nil, nil)
	})
	return fork
}

// Load creates the objects of manifests in YAML, in the order of what they need.
func (s *Server) Load(t testing.TB, manifests string) {
	t.Helper()
	s.Do(t, http.MethodPost, "load", map[string]any{"manifests": manifests}, nil)
}

// Advance advances the time of a fork with a clock, and waits for the work that was due until then.
func (s *Server) Advance(t testing.TB, by time.Duration) {
	t.Helper()
	s.Do(t, http.MethodPost, "clock/advance", map[string]any{"by": by.String()}, nil)
}

// Fault adds a rule of faults.
func (s *Server) Fault(t testing.TB, rule Rule) {
	t.Helper()
	s.Do(t, http.MethodPost, "faults/rules", rule, nil)
}

// Record begins a recording. The function that it returns lists the requests that match: url.Values{"verb": {"update"}, "resource": {"widgets"}}.
func (s *Server) Record(t testing.TB) func(match url.Values) []Request {
	t.Helper()
	var made struct{ ID string }
	s.Do(t, http.MethodPost, "recordings", nil, &made)
	return func(match url.Values) []Request {
		t.Helper()
		var found struct{ Requests []Request }
		s.Do(t, http.MethodGet, "recordings/"+made.ID+"/requests?"+match.Encode(), nil, &found)
		return found.Requests
	}
}

// Do sends a request to the control. /test/openapi.json has all of them.
func (s *Server) Do(t testing.TB, method, path string, body, answer any) {
	t.Helper()
	if err := s.do(method, path, body, answer); err != nil {
		t.Fatalf("%s /test/%s: %v", method, path, err)
	}
}

func (s *Server) do(method, path string, body, answer any) error {
	var sent io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		sent = bytes.NewReader(text)
	}
	request, err := http.NewRequest(method, s.control+"/"+path, sent)
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+s.token)
	request.Header.Set("Content-Type", "application/json")
	response, err := s.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode >= 300 {
		return fmt.Errorf("%s: %s", response.Status, text)
	}
	if answer == nil {
		return nil
	}
	return json.Unmarshal(text, answer)
}
