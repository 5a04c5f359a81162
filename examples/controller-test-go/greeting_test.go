package greeting

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

var config *rest.Config

// TestMain starts etcd and the server that KUBEBUILDER_ASSETS names as kube-apiserver.
func TestMain(m *testing.M) {
	ctrl.SetLogger(zap.New())
	environment := &envtest.Environment{CRDDirectoryPaths: []string{"crds"}, ErrorIfCRDPathMissing: true}
	begun := time.Now()
	var err error
	if config, err = environment.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Printf("ready after %d ms\n", time.Since(begun).Milliseconds())
	code := m.Run()
	if err := environment.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// started runs a manager with the controller until the test ends.
func started(t *testing.T) (context.Context, client.Client) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	manager, err := ctrl.NewManager(config, ctrl.Options{Metrics: server.Options{BindAddress: "0"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := (&Reconciler{manager.GetClient()}).SetupWithManager(manager); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- manager.Start(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return ctx, direct(t)
}

// direct is a client without a cache.
func direct(t *testing.T) client.Client {
	t.Helper()
	api, err := client.New(config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return api
}

func eventually(t *testing.T, what string, attempt func() error) {
	t.Helper()
	var err error
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if err = attempt(); err == nil {
			return
		}
	}
	t.Fatalf("%s: %v", what, err)
}

func TestGreeting(t *testing.T) {
	ctx, api := started(t)
	greeting := New()
	greeting.SetName("first")
	greeting.SetNamespace("default")
	if err := unstructured.SetNestedField(greeting.Object, "world", "spec", "name"); err != nil {
		t.Fatal(err)
	}
	if err := api.Create(ctx, greeting); err != nil {
		t.Fatal(err)
	}
	wants := func(want string) func() error {
		return func() error {
			configMap := &corev1.ConfigMap{}
			if err := api.Get(ctx, client.ObjectKeyFromObject(greeting), configMap); err != nil {
				return err
			}
			if err := api.Get(ctx, client.ObjectKeyFromObject(greeting), greeting); err != nil {
				return err
			}
			status, _, _ := unstructured.NestedString(greeting.Object, "status", "text")
			if configMap.Data["text"] != want || status != want {
				return fmt.Errorf("the ConfigMap has %q, the status %q", configMap.Data["text"], status)
			}
			return nil
		}
	}
	eventually(t, "created", wants("Hello, world"))
	patch := client.RawPatch("application/merge-patch+json", []byte(`{"spec":{"name":"Thole"}}`))
	if err := api.Patch(ctx, greeting, patch); err != nil {
		t.Fatal(err)
	}
	eventually(t, "changed", wants("Hello, Thole"))
}

func TestRule(t *testing.T) {
	api := direct(t)
	greeting := New()
	greeting.SetName("refused")
	greeting.SetNamespace("default")
	if err := unstructured.SetNestedField(greeting.Object, "nobody", "spec", "name"); err != nil {
		t.Fatal(err)
	}
	err := api.Create(t.Context(), greeting)
	if !apierrors.IsInvalid(err) || !strings.Contains(err.Error(), "somebody must be greeted") {
		t.Fatalf("want the error of the rule, got %v", err)
	}
}
