package lamps

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
)

var (
	scheme = runtime.NewScheme()
	config *rest.Config
)

// TestMain starts etcd, the server that KUBEBUILDER_ASSETS names as kube-apiserver, and a manager with the webhooks.
func TestMain(m *testing.M) {
	ctrl.SetLogger(zap.New())
	AddToScheme(scheme)
	environment := &envtest.Environment{
		Scheme:                scheme, // tells which definitions need a conversion webhook
		CRDDirectoryPaths:     []string{"crds"},
		ErrorIfCRDPathMissing: true,
		WebhookInstallOptions: envtest.WebhookInstallOptions{Paths: []string{"webhooks"}},
	}
	code, err := run(m, environment)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M, environment *envtest.Environment) (code int, err error) {
	if config, err = environment.Start(); err != nil {
		return 1, err
	}
	defer func() {
		if stopped := environment.Stop(); err == nil {
			err = stopped
		}
	}()
	options := environment.WebhookInstallOptions
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:  scheme,
		Metrics: server.Options{BindAddress: "0"},
		WebhookServer: webhook.NewServer(webhook.Options{
			Host:    options.LocalServingHost,
			Port:    options.LocalServingPort,
			CertDir: options.LocalServingCertDir,
		}),
	})
	if err != nil {
		return 1, err
	}
	if err := SetupWebhooks(manager); err != nil {
		return 1, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- manager.Start(ctx) }()
	defer func() {
		cancel()
		if stopped := <-ended; err == nil {
			err = stopped
		}
	}()
	// The webhook server listens before the cache has read anything.
	if !manager.GetCache().WaitForCacheSync(ctx) {
		return 1, fmt.Errorf("the manager does not start")
	}
	return m.Run(), nil
}

// warnings collects the texts of Warning headers.
type warnings struct {
	sync.Mutex
	texts []string
}

func (w *warnings) HandleWarningHeader(_ int, _ string, text string) {
	w.Lock()
	defer w.Unlock()
	w.texts = append(w.texts, text)
}

// direct is a client without a cache.
func direct(t *testing.T, seen *warnings) client.Client {
	t.Helper()
	own := rest.CopyConfig(config)
	own.WarningHandler = seen
	api, err := client.New(own, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	return api
}

func named(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Namespace: "default"}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func refused(t *testing.T, err error, why string) {
	t.Helper()
	if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), why) {
		t.Fatalf("want a refusal with %q, got %v", why, err)
	}
}

func TestConversion(t *testing.T) {
	api := direct(t, &warnings{})
	old := &AlphaLamp{ObjectMeta: named("converted"), Spec: AlphaLampSpec{Room: "hall", Brightness: "40%"}}
	must(t, api.Create(t.Context(), old))
	lamp := &Lamp{}
	must(t, api.Get(t.Context(), client.ObjectKeyFromObject(old), lamp))
	if lamp.Spec.Percent == nil || *lamp.Spec.Percent != 40 || lamp.UID != old.UID {
		t.Fatalf("as v1 it is %+v", lamp)
	}
	must(t, api.Patch(t.Context(), lamp, client.RawPatch("application/merge-patch+json", []byte(`{"spec":{"percent":55}}`))))
	must(t, api.Get(t.Context(), client.ObjectKeyFromObject(old), old))
	if old.Spec.Brightness != "55%" {
		t.Fatalf("as v1alpha1 it is %+v", old.Spec)
	}
}

func TestDefaults(t *testing.T) {
	seen := &warnings{}
	api := direct(t, seen)
	// The webhooks have rules for v1, and see it converted.
	lamp := &AlphaLamp{ObjectMeta: named("bright")}
	must(t, api.Create(t.Context(), lamp))
	if lamp.Spec.Brightness != "100%" {
		t.Fatalf("the lamp is %+v", lamp.Spec)
	}
	if want := "a lamp without a room is hard to find"; len(seen.texts) != 1 || seen.texts[0] != want {
		t.Fatalf("the warnings are %q", seen.texts)
	}
}

func TestRules(t *testing.T) {
	api := direct(t, &warnings{})
	lamp := &Lamp{ObjectMeta: named("ruled"), Spec: LampSpec{Room: "hall"}}
	must(t, api.Create(t.Context(), lamp))
	move := client.RawPatch("application/merge-patch+json", []byte(`{"spec":{"room":"attic"}}`))
	refused(t, api.Patch(t.Context(), lamp.DeepCopyObject().(client.Object), move), "a lamp stays in its room")
	refused(t, api.Delete(t.Context(), lamp), "switch the lamp off first")
	must(t, api.Patch(t.Context(), lamp, client.RawPatch("application/merge-patch+json", []byte(`{"spec":{"percent":0}}`))))
	must(t, api.Delete(t.Context(), lamp))
}
