// Package greeting has a small controller: it writes the text of each Greeting to its status and to a ConfigMap.
package greeting

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

// Kind is the kind of crds/greetings.yaml.
var Kind = schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Greeting"}

// New is an empty Greeting.
func New() *unstructured.Unstructured {
	greeting := &unstructured.Unstructured{}
	greeting.SetGroupVersionKind(Kind)
	return greeting
}

// Reconciler brings the status of a Greeting and its ConfigMap to the desired state.
type Reconciler struct{ client.Client }

// Reconcile runs after each change of a Greeting or of its ConfigMap.
func (r *Reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	greeting := New()
	if err := r.Get(ctx, request.NamespacedName, greeting); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err) // deleted: the ConfigMap goes with its owner
	}
	name, _, err := unstructured.NestedString(greeting.Object, "spec", "name")
	if err != nil {
		return ctrl.Result{}, err
	}
	text := "Hello, " + name
	configMap := &corev1.ConfigMap{}
	configMap.Name, configMap.Namespace = greeting.GetName(), greeting.GetNamespace()
	if _, err := controllerutil.CreateOrUpdate(ctx, r.Client, configMap, func() error {
		configMap.Data = map[string]string{"text": text}
		return controllerutil.SetControllerReference(greeting, configMap, r.Scheme())
	}); err != nil {
		return ctrl.Result{}, err
	}
	if written, _, _ := unstructured.NestedString(greeting.Object, "status", "text"); written == text {
		return ctrl.Result{}, nil
	}
	if err := unstructured.SetNestedField(greeting.Object, text, "status", "text"); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.Status().Update(ctx, greeting)
}

// SetupWithManager makes the manager run the controller.
func (r *Reconciler) SetupWithManager(manager ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(manager).For(New()).Owns(&corev1.ConfigMap{}).Complete(r)
}
