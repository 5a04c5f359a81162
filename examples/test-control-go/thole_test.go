package thole

import (
	"net/url"
	"os"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

func TestMain(m *testing.M) {
	code := m.Run()
	if server, err := shared(); err == nil {
		_ = server.Stop()
	}
	os.Exit(code)
}

func clientOf(t *testing.T, server *Server) *kubernetes.Clientset {
	t.Helper()
	made, err := kubernetes.NewForConfig(server.Config)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func configMap(name string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}
}

// Each test has a fork of one fixture. The tests are parallel, and do not see each other.
func TestForks(t *testing.T) {
	fixture := Shared(t).Fork(t)
	fixture.Load(t, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: fixture}\n")
	t.Run("of one fixture", func(t *testing.T) {
		for _, name := range []string{"one", "two", "three"} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				maps := clientOf(t, fixture.Fork(t)).CoreV1().ConfigMaps("default")
				if _, err := maps.Create(t.Context(), configMap(name), metav1.CreateOptions{}); err != nil {
					t.Fatal(err)
				}
				list, err := maps.List(t.Context(), metav1.ListOptions{})
				if err != nil {
					t.Fatal(err)
				}
				if len(list.Items) != 2 {
					t.Fatalf("%d objects, not the fixture's and the own one", len(list.Items))
				}
			})
		}
	})
}

// A token expires after ten minutes, in no time.
func TestClock(t *testing.T) {
	fork := Shared(t).ForkWithClock(t)
	api := clientOf(t, fork)
	seconds := int64(600)
	request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: &seconds}}
	made, err := api.CoreV1().ServiceAccounts("default").CreateToken(t.Context(), "default", request, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	isValid := func() bool {
		review := &authenticationv1.TokenReview{Spec: authenticationv1.TokenReviewSpec{Token: made.Status.Token}}
		answer, err := api.AuthenticationV1().TokenReviews().Create(t.Context(), review, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return answer.Status.Authenticated
	}
	if !isValid() {
		t.Fatal("the token is not valid")
	}
	fork.Advance(t, 11*time.Minute)
	if isValid() {
		t.Fatal("the token is still valid")
	}
}

// Code that retries conflicts meets one, and the recording has both attempts.
func TestFaults(t *testing.T) {
	fork := Shared(t).Fork(t)
	maps := clientOf(t, fork).CoreV1().ConfigMaps("default")
	if _, err := maps.Create(t.Context(), configMap("settings"), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	fork.Fault(t, Rule{"verbs": []string{"update"}, "resource": "configmaps", "nth": 1, "answer": Rule{"reason": "Conflict"}})
	requests := fork.Record(t)
	err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		found, err := maps.Get(t.Context(), "settings", metav1.GetOptions{})
		if err != nil {
			return err
		}
		found.Data = map[string]string{"colour": "blue"}
		_, err = maps.Update(t.Context(), found, metav1.UpdateOptions{})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	updates := requests(url.Values{"verb": {"update"}, "resource": {"configmaps"}})
	if len(updates) != 2 || updates[0].Status != 409 || updates[1].Status != 200 {
		t.Fatalf("updates: %+v", updates)
	}
}

// envtest's environment is a fork: its definitions are installed as usual.
func TestEnvtest(t *testing.T) {
	existing := true
	environment := &envtest.Environment{UseExistingCluster: &existing, Config: Shared(t).Fork(t).Config, CRDDirectoryPaths: []string{"crds"}}
	config, err := environment.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := environment.Stop(); err != nil {
			t.Error(err)
		}
	})
	api, err := client.New(config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	greeting := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1",
		"kind":       "Greeting",
		"metadata":   map[string]any{"namespace": "default", "name": "hello"},
		"spec":       map[string]any{"name": "Ada"},
	}}
	if err := api.Create(t.Context(), greeting); err != nil {
		t.Fatal(err)
	}
}
