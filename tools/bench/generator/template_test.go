package main

import "testing"

func TestExpandFillsEveryPlace(t *testing.T) {
	for _, each := range []struct {
		text            string
		number, objects int64
		want            string
	}{
		{"/configmaps", 7, 10, "/configmaps"},
		{"/configmaps/<object>", 1, 10_000, "/configmaps/cm-07919"},
		{"/configmaps/<object>", 3, 10, "/configmaps/cm-00007"},
		{`{"n":"<number>-a","m<applier>":"<padded>"}`, 12, 5, `{"n":"12-a","m2":"00012"}`},
		{"m<applier>", 15, 5, "m0"},
		{"<other><", 1, 1, "<other><"},
	} {
		if got := expand(pieces(each.text), each.number, each.objects); got != each.want {
			t.Errorf("expand(%q, %d, %d) = %q, want %q", each.text, each.number, each.objects, got, each.want)
		}
	}
}

func TestInflowRefreshesAfterFourKilobytes(t *testing.T) {
	var window inflow
	for _, each := range []struct {
		bytes int
		want  uint32
	}{{4095, 0}, {1, 4096}, {4096, 4096}, {100, 0}, {5000, 5100}} {
		if got := window.add(each.bytes); got != each.want {
			t.Errorf("add(%d) = %d, want %d", each.bytes, got, each.want)
		}
	}
}

func TestWatcherCountsEventsThatAreSplit(t *testing.T) {
	all := &watching{done: make(chan struct{})}
	all.left.Store(3)
	seen := &tally{all: all}
	w := &watcher{seen: seen}
	w.read([]byte(`{"object":{"data":{"n":"0 0 5","value":"x"}}}` + "\n" + `{"object":{"data":{"n":"1 `))
	w.read([]byte(`0 6","value":"x"}}}` + "\n" + `{"n":"0 1 7","value":""}` + "\n" + `{"n":"0 1 7","value":""}` + "\n" + `{"n":"0 5 7","value":""}` + "\n"))
	if seen.delivered != 3 || seen.doubled != 1 {
		t.Errorf("delivered %d, doubled %d, want 3 and 1", seen.delivered, seen.doubled)
	}
	select {
	case <-all.done:
	default:
		t.Error("not done after all wanted events")
	}
}
