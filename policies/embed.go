// Package policies holds the built-in rules, one folder each, and what they
// share. The Rego files are the source: this package only carries them.
package policies

import "embed"

// FS holds the rules and libraries, below the folders they have here. Their
// tests are in it too; whoever loads policies passes over *_test.rego.
//
//go:embed */*.rego
var FS embed.FS
