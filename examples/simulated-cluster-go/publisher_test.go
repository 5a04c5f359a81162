package publisher

import (
	"os"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// openCluster starts a simulated cluster for one test.
func openCluster(t *testing.T) kubernetes.Interface {
	t.Helper()
	command := "node_modules/.bin/thole"
	if given := os.Getenv("THOLE"); given != "" {
		command = given
	}
	config := startCluster(t, strings.Fields(command)...)
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func TestASiteIsPublishedWhenItsPodsAreAvailable(t *testing.T) {
	client := openCluster(t)
	if err := Publish(t.Context(), client, "default", Site{Name: "blog", Image: "blog:1", Replicas: 3}); err != nil {
		t.Fatal(err)
	}
	pods, err := client.CoreV1().Pods("default").List(t.Context(), metav1.ListOptions{LabelSelector: "site=blog"})
	if err != nil {
		t.Fatal(err)
	}
	if len(pods.Items) != 3 {
		t.Fatalf("%d pods instead of 3", len(pods.Items))
	}
}

func TestASiteWhoseImageCannotBePulledIsAnError(t *testing.T) {
	client := openCluster(t)
	broken := map[string]string{"simulation.thole.dev/waiting": "ImagePullBackOff"}
	err := Publish(t.Context(), client, "default", Site{Name: "blog", Image: "blog:broken", Replicas: 1, Annotations: broken})
	if err == nil || !strings.Contains(err.Error(), "has timed out progressing") {
		t.Fatalf("unexpected result: %v", err)
	}
}
