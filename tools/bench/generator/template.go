package main

import (
	"fmt"
	"strconv"
	"strings"
)

// template describes the requests of a load. Path and body have places that are filled for each request by its number:
// see expand. tools/bench/requests.ts makes it.
type template struct {
	Method      string `json:"method"`
	Path        string `json:"path"`
	ContentType string `json:"type"`
	Body        string `json:"body"`
}

// stride is coprime to the usual numbers of objects, so that its multiples visit all of them in a pseudo-random order.
const stride = 7919

// appliers is the number of field managers that apply to the same objects.
const appliers = 3

// places are the texts that expand replaces.
var places = []string{"<object>", "<number>", "<padded>", "<applier>"}

// pieces splits a text at its places, which are kept as pieces of their own.
func pieces(text string) []string {
	for at := range text {
		for _, place := range places {
			if strings.HasPrefix(text[at:], place) {
				return append([]string{text[:at], place}, pieces(text[at+len(place):])...)
			}
		}
	}
	return []string{text}
}

// expand fills the places: "<object>" with the name of an existing object, "<number>" with the number, "<padded>" with five
// digits of it, "<applier>" with the number of a field manager, which changes after all objects.
func expand(pieces []string, number, objects int64) string {
	var text strings.Builder
	for _, piece := range pieces {
		switch piece {
		case "<object>":
			fmt.Fprintf(&text, "cm-%05d", number*stride%objects)
		case "<number>":
			text.WriteString(strconv.FormatInt(number, 10))
		case "<padded>":
			fmt.Fprintf(&text, "%05d", number)
		case "<applier>":
			text.WriteString(strconv.FormatInt(number/objects%appliers, 10))
		default:
			text.WriteString(piece)
		}
	}
	return text.String()
}
