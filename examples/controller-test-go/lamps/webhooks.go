package lamps

import (
	"context"
	"errors"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// SetupWebhooks makes the manager serve the three webhooks.
func SetupWebhooks(manager ctrl.Manager) error {
	return ctrl.NewWebhookManagedBy(manager, &Lamp{}).WithDefaulter(defaults{}).WithValidator(rules{}).Complete()
}

type defaults struct{}

// Default switches a new lamp on.
func (defaults) Default(_ context.Context, lamp *Lamp) error {
	if lamp.Spec.Percent == nil {
		bright := int32(100)
		lamp.Spec.Percent = &bright
	}
	return nil
}

type rules struct{}

func (rules) ValidateCreate(_ context.Context, lamp *Lamp) (admission.Warnings, error) {
	if lamp.Spec.Room == "" {
		return admission.Warnings{"a lamp without a room is hard to find"}, nil
	}
	return nil, nil
}

func (rules) ValidateUpdate(_ context.Context, before, lamp *Lamp) (admission.Warnings, error) {
	if before.Spec.Room != "" && lamp.Spec.Room != before.Spec.Room {
		return nil, errors.New("a lamp stays in its room")
	}
	return nil, nil
}

func (rules) ValidateDelete(_ context.Context, lamp *Lamp) (admission.Warnings, error) {
	if *lamp.Spec.Percent > 0 {
		return nil, errors.New("switch the lamp off first")
	}
	return nil, nil
}
