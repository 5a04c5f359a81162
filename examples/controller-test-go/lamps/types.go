// Package lamps has a kind with two versions, and its webhooks: conversion, defaults and rules.
package lamps

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/conversion"
)

const group = "example.com"

// Lamp is version v1, which is stored: every other version is converted to it and from it.
type Lamp struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              LampSpec `json:"spec"`
}

// LampSpec has the brightness as a number.
type LampSpec struct {
	Room    string `json:"room,omitempty"`
	Percent *int32 `json:"percent,omitempty"`
}

// AlphaLamp is version v1alpha1.
type AlphaLamp struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              AlphaLampSpec `json:"spec"`
}

// AlphaLampSpec has the brightness as a text such as "40%".
type AlphaLampSpec struct {
	Room       string `json:"room,omitempty"`
	Brightness string `json:"brightness,omitempty"`
}

// AddToScheme makes the two types known.
func AddToScheme(scheme *runtime.Scheme) {
	stable, alpha := schema.GroupVersion{Group: group, Version: "v1"}, schema.GroupVersion{Group: group, Version: "v1alpha1"}
	scheme.AddKnownTypeWithName(stable.WithKind("Lamp"), &Lamp{})
	scheme.AddKnownTypeWithName(alpha.WithKind("Lamp"), &AlphaLamp{})
	metav1.AddToGroupVersion(scheme, stable)
	metav1.AddToGroupVersion(scheme, alpha)
}

// Hub marks the version in the middle of every conversion.
func (*Lamp) Hub() {}

// ConvertTo writes the lamp as v1.
func (lamp *AlphaLamp) ConvertTo(hub conversion.Hub) error {
	to := hub.(*Lamp)
	to.ObjectMeta, to.Spec = lamp.ObjectMeta, LampSpec{Room: lamp.Spec.Room}
	if lamp.Spec.Brightness == "" {
		return nil
	}
	var percent int32
	if _, err := fmt.Sscanf(lamp.Spec.Brightness, "%d%%", &percent); err != nil {
		return fmt.Errorf("spec.brightness %q: %w", lamp.Spec.Brightness, err)
	}
	to.Spec.Percent = &percent
	return nil
}

// ConvertFrom reads the lamp from v1.
func (lamp *AlphaLamp) ConvertFrom(hub conversion.Hub) error {
	from := hub.(*Lamp)
	lamp.ObjectMeta, lamp.Spec = from.ObjectMeta, AlphaLampSpec{Room: from.Spec.Room}
	if from.Spec.Percent != nil {
		lamp.Spec.Brightness = fmt.Sprintf("%d%%", *from.Spec.Percent)
	}
	return nil
}

// DeepCopyObject copies the lamp. Projects generate this method with controller-gen.
func (lamp *Lamp) DeepCopyObject() runtime.Object {
	next := &Lamp{TypeMeta: lamp.TypeMeta, Spec: lamp.Spec}
	lamp.DeepCopyInto(&next.ObjectMeta)
	if lamp.Spec.Percent != nil {
		percent := *lamp.Spec.Percent
		next.Spec.Percent = &percent
	}
	return next
}

// DeepCopyObject copies the lamp.
func (lamp *AlphaLamp) DeepCopyObject() runtime.Object {
	next := &AlphaLamp{TypeMeta: lamp.TypeMeta, Spec: lamp.Spec}
	lamp.DeepCopyInto(&next.ObjectMeta)
	return next
}
