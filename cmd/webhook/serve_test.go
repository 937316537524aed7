package main

import (
	"io"
	"testing"
)

func TestSetLogger(t *testing.T) {
	for name, tc := range map[string]struct {
		level, format string
		ok            bool
	}{
		"the most there is to read":                {"debug", "json", true},
		"text for people":                          {"info", "text", true},
		"an unknown level is refused":              {"verbose", "json", false},
		"a level at which Jobs are logged is none": {"debug-10", "json", false},
		"an unknown format is refused":             {"info", "xml", false},
	} {
		t.Run(name, func(t *testing.T) {
			o := &options{logLevel: tc.level, logFormat: tc.format}
			if err := o.setLogger(io.Discard); (err == nil) != tc.ok {
				t.Errorf("the error is %v", err)
			}
		})
	}
}
