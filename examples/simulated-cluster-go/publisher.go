// Package publisher publishes sites: a Deployment for each, and the wait until it is available.
package publisher

import (
	"context"
	"errors"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
)

// Site is what Publish serves.
type Site struct {
	Name, Image string
	Replicas    int32
	// Annotations of its pods.
	Annotations map[string]string
}

// Publish creates the Deployment of a site and returns when all of its pods are available. It fails when the deadline of the Deployment has passed.
func Publish(ctx context.Context, client kubernetes.Interface, namespace string, site Site) error {
	deployments := client.AppsV1().Deployments(namespace)
	if _, err := deployments.Create(ctx, deploymentOf(site), metav1.CreateOptions{}); err != nil {
		return err
	}
	selector := fields.OneTermEqualSelector("metadata.name", site.Name)
	follow := cache.NewListWatchFromClient(client.AppsV1().RESTClient(), "deployments", namespace, selector)
	_, err := watchtools.UntilWithSync(ctx, follow, &appsv1.Deployment{}, nil, isPublished)
	return err
}

// isPublished reports whether the Deployment of an event is available as a whole.
func isPublished(event watch.Event) (bool, error) {
	deployment, isDeployment := event.Object.(*appsv1.Deployment)
	if !isDeployment || deployment.Status.ObservedGeneration < deployment.Generation {
		return false, nil
	}
	for _, condition := range deployment.Status.Conditions {
		if condition.Type == appsv1.DeploymentProgressing && condition.Status == corev1.ConditionFalse {
			return false, errors.New(condition.Message)
		}
	}
	return deployment.Status.AvailableReplicas == *deployment.Spec.Replicas, nil
}

func deploymentOf(site Site) *appsv1.Deployment {
	labels, deadlineSeconds := map[string]string{"site": site.Name}, int32(2)
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: site.Name},
		Spec: appsv1.DeploymentSpec{
			Replicas:                &site.Replicas,
			MinReadySeconds:         1,
			ProgressDeadlineSeconds: &deadlineSeconds,
			Selector:                &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels, Annotations: site.Annotations},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "site", Image: site.Image}}},
			},
		},
	}
}
