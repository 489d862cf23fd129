package wirebin_test

import (
	"context"
	"encoding/json"
	"net/http"
	"testing"

	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/wait"
)

// What is tested: a client that retries after 503.
func get(url string) (*http.Response, error) {
	response, err := http.Get(url)
	if err != nil || response.StatusCode != http.StatusServiceUnavailable {
		return response, err
	}
	response.Body.Close()
	return http.Get(url)
}

func start(t *testing.T) string {
	ctx := context.Background()
	container, err := testcontainers.Run(ctx, "registry.example/wirebin",
		testcontainers.WithEnv(map[string]string{"WIREBIN_TAP": "true"}),
		testcontainers.WithExposedPorts("8080/tcp"),
		testcontainers.WithWaitStrategy(wait.ForHTTP("/readyz").WithPort("8080/tcp")),
	)
	testcontainers.CleanupContainer(t, container)
	if err != nil {
		t.Fatal(err)
	}
	origin, err := container.PortEndpoint(ctx, "8080/tcp", "http")
	if err != nil {
		t.Fatal(err)
	}
	return origin
}

func TestRetriesAfter503(t *testing.T) {
	origin := start(t)
	response, err := get(origin + "/retry/go?fail=1")
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Fatalf("got %s", response.Status)
	}
	journal, err := http.Get(origin + "/journal/go")
	if err != nil {
		t.Fatal(err)
	}
	defer journal.Body.Close()
	var seen struct{ Attempts int }
	if err := json.NewDecoder(journal.Body).Decode(&seen); err != nil {
		t.Fatal(err)
	}
	if seen.Attempts != 2 {
		t.Fatalf("%d attempts", seen.Attempts)
	}
}
