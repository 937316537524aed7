package mutate

import (
	"strconv"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/taojob/taojob/pkg/job"
)

// generatedName names a multi-node Job that has only a generateName: the
// address of rank 0 holds the name, and the API server makes one too late. A
// prefix that leaves no room for the pods' host names is cut, as the API
// server cuts it for the name.
func generatedName(in *injection) {
	t := in.training
	if !t.MultiNode() || t.Name != "" || t.GenerateName == "" {
		return
	}
	index := "-" + strconv.Itoa(int(t.Nodes-1))
	room := validation.DNS1123LabelMaxLength - len(in.opt.NameSuffix) - len(index)
	in.job.Name = t.GenerateName[:min(len(t.GenerateName), room)] + in.opt.NameSuffix
	in.training, _ = job.Read(in.job) // it was read without errors before, and a name adds none
}
