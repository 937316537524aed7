package validate

import (
	"errors"
	"fmt"

	"github.com/open-policy-agent/opa/v1/ast"
	batchv1 "k8s.io/api/batch/v1"
)

// document is the input as policies see it: object, training and facts.
func document(in Input) (ast.Value, error) {
	object, err := objectValue(in.Object)
	if err != nil {
		return nil, err
	}
	facts, err := toValue(&in.Facts)
	if err != nil {
		return nil, err
	}
	doc := [][2]*ast.Term{
		ast.Item(ast.InternedTerm("object"), ast.NewTerm(object)),
		ast.Item(ast.InternedTerm("facts"), ast.NewTerm(facts)),
	}
	if in.Training != nil {
		training, err := toValue(in.Training)
		if err != nil {
			return nil, err
		}
		doc = append(doc, ast.Item(ast.InternedTerm("training"), ast.NewTerm(training)))
	}
	return ast.NewObject(doc...), nil
}

// objectValue converts the judged object. Decoders leave kind and apiVersion
// of typed objects empty, and rules ask for the kind.
func objectValue(object any) (ast.Value, error) {
	switch o := object.(type) {
	case *batchv1.Job:
		typed := *o
		typed.APIVersion, typed.Kind = "batch/v1", "Job"
		return toValue(&typed)
	case *batchv1.CronJob:
		typed := *o
		typed.APIVersion, typed.Kind = "batch/v1", "CronJob"
		return toValue(&typed)
	case map[string]any:
		value, err := ast.InterfaceToValue(o)
		if err != nil {
			return nil, errors.New("convert manifest: no JSON form")
		}
		return value, nil
	}
	return nil, fmt.Errorf("judge a %T: want a *batchv1.Job, a *batchv1.CronJob or a map[string]any", object)
}
