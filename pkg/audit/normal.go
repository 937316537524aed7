package audit

import (
	"encoding/json"
	"fmt"
	"slices"

	sigsjson "sigs.k8s.io/json"
)

// normal is a typed object as a JSON tree without what nobody wrote: the
// status, and what Go's types write of empty fields.
func normal(object any) (map[string]any, error) {
	raw, err := json.Marshal(object)
	if err != nil {
		return nil, fmt.Errorf("write as JSON: %w", err)
	}
	var tree map[string]any
	if err := sigsjson.UnmarshalCaseSensitivePreserveInts(raw, &tree); err != nil {
		return nil, fmt.Errorf("read JSON: %w", err)
	}
	if tree != nil {
		delete(tree, "status")
		prune(tree)
	}
	return tree, nil
}

// prune takes out, at any depth, fields that are there only because Go's types
// write them: null timestamps, empty metadata and resources, ports that are 0.
func prune(value any) {
	switch value := value.(type) {
	case map[string]any:
		for key, below := range value {
			prune(below)
			if isNoise(key, below) {
				delete(value, key)
			}
		}
	case []any:
		for _, below := range value {
			prune(below)
		}
	}
}

func isNoise(key string, value any) bool {
	switch key {
	case "creationTimestamp":
		return value == nil
	case "targetPort":
		return value == int64(0)
	case "metadata", "resources":
		object, ok := value.(map[string]any)
		return ok && len(object) == 0
	}
	return false
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
