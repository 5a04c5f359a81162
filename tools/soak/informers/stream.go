package main

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
)

// stream checks the lists and watches that a reflector sends, below the informer: what arrives after the initial state must have rising
// resourceVersions, and each acknowledged write must arrive once.
type stream struct {
	name  string
	tally *tally

	mutex sync.Mutex
	// initial is whether the initial state arrives: its objects have any order.
	initial bool
	// from is the revision of the last initial state: it contains all earlier writes.
	from uint64
	last uint64
	seen map[uint64]string
}

// watched returns functions of a ListWatch that check.
func (s *stream) watched(
	list func(context.Context, metav1.ListOptions) (runtime.Object, error),
	open func(context.Context, metav1.ListOptions) (watch.Interface, error),
) *cache.ListWatch {
	return &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			found, err := list(ctx, options)
			if err != nil {
				s.tally.failure(s.name+" list", err)
				return nil, err
			}
			s.listed(found)
			return found, nil
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			events, err := open(ctx, options)
			if err != nil {
				s.tally.failure(s.name+" watch", err)
				return nil, err
			}
			s.opened(options)
			return watch.Filter(events, func(event watch.Event) (watch.Event, bool) {
				s.take(event)
				return event, true
			}), nil
		},
	}
}

func (s *stream) listed(found runtime.Object) {
	list, err := meta.ListAccessor(found)
	if err != nil {
		s.tally.fault("%s: a list without metadata", s.name)
		return
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.tally.count("lists")
	s.begin(s.revision(list.GetResourceVersion()))
}

func (s *stream) opened(options metav1.ListOptions) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.initial = options.SendInitialEvents != nil && *options.SendInitialEvents; s.initial {
		s.tally.count("initial lists")
		return
	}
	s.tally.count("watches")
	if from := s.revision(options.ResourceVersion); from < s.from {
		s.tally.fault("%s: a watch from %d, before the list at %d", s.name, from, s.from)
	}
}

// begin starts again from an initial state.
func (s *stream) begin(revision uint64) {
	s.initial, s.from, s.last, s.seen = false, revision, revision, map[uint64]string{}
}

func (s *stream) take(event watch.Event) {
	if event.Type == watch.Error {
		// The reflector resumes, or lists again; both are counted.
		s.tally.count("errors in watches")
		return
	}
	object, err := meta.Accessor(event.Object)
	if err != nil {
		s.tally.fault("%s: an event without metadata", s.name)
		return
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	revision := s.revision(object.GetResourceVersion())
	if event.Type == watch.Bookmark {
		s.tally.count("bookmarks")
		if s.initial && object.GetAnnotations()[metav1.InitialEventsAnnotationKey] == "true" {
			s.begin(revision)
		} else if revision < s.last {
			s.tally.fault("%s: a bookmark at %d after %d", s.name, revision, s.last)
		} else {
			s.last = revision
		}
		return
	}
	if s.initial {
		return
	}
	s.tally.count("events")
	if revision <= s.last {
		s.tally.fault("%s: %s %s at %d after %d", s.name, event.Type, object.GetName(), revision, s.last)
	}
	s.last = revision
	s.seen[revision] = object.GetName()
}

func (s *stream) revision(text string) uint64 {
	revision, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		s.tally.fault("%s: %q is no resourceVersion", s.name, text)
	}
	return revision
}

// missing compares the acknowledged writes with the events.
func (s *stream) missing(written map[uint64]string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for _, revision := range slices.Sorted(maps.Keys(written)) {
		if revision <= s.from || revision > s.last {
			continue
		}
		if s.seen[revision] != written[revision] {
			s.tally.fault("%s: no event of %s at %d", s.name, written[revision], revision)
		}
	}
}
