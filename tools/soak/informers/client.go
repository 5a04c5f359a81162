package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

const (
	// requestTimeout bounds a request; a server may restart meanwhile.
	requestTimeout = 30 * time.Second
	// catchUpTimeout bounds the time in which informers reach the state of a list.
	catchUpTimeout = 60 * time.Second
	// names is the number of objects that a writer writes in turn.
	names = 40
	// turnsOfSecret is the number of writes to ConfigMaps for each write to a Secret.
	turnsOfSecret = 4
)

// client has the informers and the writer of one encoding.
type client struct {
	set       kubernetes.Interface
	namespace string
	encoding  string
	pause     time.Duration
	tally     *tally
	followed  []*followed
	stopped   chan struct{}
	ended     chan struct{}
}

// followed is one informer.
type followed struct {
	stream   *stream
	informer cache.SharedIndexInformer
	// list returns the names with their resourceVersions.
	list  func(context.Context) (map[string]string, error)
	mutex sync.Mutex
	// handled has the resourceVersion of each object that the handler knows.
	handled map[string]string
	// written has the name of each acknowledged write, by its revision.
	written map[uint64]string
}

func (c *client) start(ctx context.Context) error {
	configMaps, secrets := c.set.CoreV1().ConfigMaps(c.namespace), c.set.CoreV1().Secrets(c.namespace)
	c.follow("ConfigMap", &corev1.ConfigMap{},
		func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			return configMaps.List(ctx, options)
		},
		configMaps.Watch)
	c.follow("Secret", &corev1.Secret{},
		func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			return secrets.List(ctx, options)
		},
		secrets.Watch)
	for _, each := range c.followed {
		go each.informer.RunWithContext(ctx)
	}
	for _, each := range c.followed {
		if !cache.WaitForCacheSync(ctx.Done(), each.informer.HasSynced) {
			return fmt.Errorf("%s: no initial list", each.stream.name)
		}
	}
	go c.write(ctx)
	return nil
}

func (c *client) follow(
	kind string,
	example runtime.Object,
	list func(context.Context, metav1.ListOptions) (runtime.Object, error),
	open func(context.Context, metav1.ListOptions) (watch.Interface, error),
) {
	stream := &stream{name: c.encoding + " " + kind, tally: c.tally, seen: map[uint64]string{}}
	one := &followed{
		stream:   stream,
		informer: cache.NewSharedIndexInformer(stream.watched(list, open), example, 0, cache.Indexers{}),
		handled:  map[string]string{},
		written:  map[uint64]string{},
		list: func(ctx context.Context) (map[string]string, error) {
			found, err := list(ctx, metav1.ListOptions{})
			if err != nil {
				return nil, err
			}
			versions := map[string]string{}
			return versions, meta.EachListItem(found, func(object runtime.Object) error {
				item, err := meta.Accessor(object)
				if err == nil {
					versions[item.GetName()] = item.GetResourceVersion()
				}
				return err
			})
		},
	}
	one.handle()
	c.followed = append(c.followed, one)
}

// configMaps and secrets are the informers of the two kinds.
func (c *client) configMaps() *followed { return c.followed[0] }
func (c *client) secrets() *followed    { return c.followed[1] }

// handle checks the calls of the handler: an object is added once, changes to a newer version, and is deleted once.
func (f *followed) handle() {
	check := func(what string, object any, expected func(known string, isKnown bool, version string) bool, keeps bool) {
		if unknown, ok := object.(cache.DeletedFinalStateUnknown); ok {
			object = unknown.Obj
		}
		item, err := meta.Accessor(object)
		if err != nil {
			f.stream.tally.fault("%s: %s of something without metadata", f.stream.name, what)
			return
		}
		f.mutex.Lock()
		defer f.mutex.Unlock()
		known, isKnown := f.handled[item.GetName()]
		f.stream.tally.count("handled")
		if !expected(known, isKnown, item.GetResourceVersion()) {
			f.stream.tally.fault("%s: %s of %s at %s, known at %q", f.stream.name, what, item.GetName(), item.GetResourceVersion(), known)
		}
		if keeps {
			f.handled[item.GetName()] = item.GetResourceVersion()
		} else {
			delete(f.handled, item.GetName())
		}
	}
	// A list after the first one repeats unchanged objects as updates.
	notOlder := func(known string, isKnown bool, version string) bool {
		return isKnown && f.stream.revision(version) >= f.stream.revision(known)
	}
	_, err := f.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(object any) {
			check("an addition", object, func(_ string, isKnown bool, _ string) bool { return !isKnown }, true)
		},
		UpdateFunc: func(_, object any) { check("an update", object, notOlder, true) },
		DeleteFunc: func(object any) {
			check("a deletion", object, func(_ string, isKnown bool, _ string) bool { return isKnown }, false)
		},
	})
	if err != nil {
		f.stream.tally.fault("%s: %v", f.stream.name, err)
	}
}

// write creates, updates and deletes ConfigMaps, and updates a Secret, until finish is called.
func (c *client) write(ctx context.Context) {
	defer close(c.ended)
	for turn := 0; ; turn++ {
		select {
		case <-c.stopped:
			return
		case <-ctx.Done():
			return
		case <-time.After(c.pause):
		}
		name := fmt.Sprintf("%s-%d", c.encoding, turn/3%names)
		if err := c.change(ctx, name, turn); err != nil {
			c.tally.failure("write", err)
		}
		if turn%turnsOfSecret != 0 {
			continue
		}
		if err := c.changeSecret(ctx, turn); err != nil {
			c.tally.failure("write", err)
		}
	}
}

// change is one write: a creation, an update, and in every other round of the names a deletion.
func (c *client) change(ctx context.Context, name string, turn int) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	configMaps := c.set.CoreV1().ConfigMaps(c.namespace)
	if turn%3 == 2 && turn/3/names%2 == 1 {
		err := configMaps.Delete(ctx, name, metav1.DeleteOptions{})
		if err == nil {
			c.tally.count("deletes")
		}
		// A write whose answer was lost may have had its effect: the next one finds it.
		if apierrors.IsNotFound(err) {
			return nil
		}
		return err
	}
	data := map[string]string{"turn": fmt.Sprint(turn)}
	found, err := configMaps.Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		found, err = configMaps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: data}, metav1.CreateOptions{})
		if apierrors.IsAlreadyExists(err) {
			return nil
		}
		return c.configMaps().acknowledged("creates", found, err)
	}
	if err != nil {
		return err
	}
	found.Data = data
	found, err = configMaps.Update(ctx, found, metav1.UpdateOptions{})
	if apierrors.IsConflict(err) {
		c.tally.count("conflicts")
		return nil
	}
	return c.configMaps().acknowledged("updates", found, err)
}

// changeSecret applies the Secret of this encoding.
func (c *client) changeSecret(ctx context.Context, turn int) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	wanted := applycorev1.Secret(c.encoding, c.namespace).WithStringData(map[string]string{"turn": fmt.Sprint(turn)})
	found, err := c.set.CoreV1().Secrets(c.namespace).Apply(ctx, wanted, metav1.ApplyOptions{FieldManager: c.encoding})
	return c.secrets().acknowledged("applies", found, err)
}

func (f *followed) acknowledged(what string, object metav1.Object, err error) error {
	if err != nil {
		return err
	}
	f.stream.tally.count(what)
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.written[f.stream.revision(object.GetResourceVersion())] = object.GetName()
	return nil
}

// finish ends the writer and compares each informer's store with a list.
func (c *client) finish(ctx context.Context) {
	close(c.stopped)
	<-c.ended
	for _, each := range c.followed {
		if difference := each.difference(ctx); difference != "" {
			c.tally.fault("%s: the store differs from a list: %s", each.stream.name, difference)
		}
		each.mutex.Lock()
		each.stream.missing(each.written)
		each.mutex.Unlock()
	}
}

// difference is how the store and the handler differ from a list; empty once they agree.
func (f *followed) difference(ctx context.Context) string {
	difference := ""
	for end := time.Now().Add(catchUpTimeout); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		listed, err := f.list(ctx)
		if err != nil {
			difference = err.Error()
			continue
		}
		stored := map[string]string{}
		for _, object := range f.informer.GetStore().List() {
			if item, err := meta.Accessor(object); err == nil {
				stored[item.GetName()] = item.GetResourceVersion()
			}
		}
		f.mutex.Lock()
		difference = compare("the store", stored, listed) + compare("the handler", f.handled, listed)
		f.mutex.Unlock()
		if difference == "" {
			f.stream.tally.count("compared objects")
			return ""
		}
	}
	return difference
}

func compare(what string, has, wants map[string]string) string {
	text := ""
	for name, version := range wants {
		if has[name] != version {
			text += fmt.Sprintf("%s has %s at %q, listed at %s; ", what, name, has[name], version)
		}
	}
	for name := range has {
		if _, ok := wants[name]; !ok {
			text += fmt.Sprintf("%s has %s, which is not listed; ", what, name)
		}
	}
	return text
}
