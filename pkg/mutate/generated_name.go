package mutate

import "github.com/taojob/taojob/pkg/job"

// sampleEnd stands for the end of a generated name where it does not matter.
const sampleEnd = "xxxxx"

// generatedName names a multi-node Job that has only a generateName: the
// address of rank 0 holds the name, and the API server makes one too late. A
// prefix that leaves no room for the pods' host names is cut, as the API
// server cuts it for the name.
func generatedName(in *injection) {
	t := in.training
	if !t.MultiNode() || t.Name != "" || t.GenerateName == "" {
		return
	}
	in.job.Name = cut(t, in.opt.NameSuffix)
	in.training, _ = job.Read(in.job) // it was read without errors before, and a name adds none
}

// cut is t's generateName and an end, the first shortened as far as needed.
func cut(t *job.Training, end string) string {
	longest := room(t, t.GenerateName) - len(end)
	return t.GenerateName[:min(len(t.GenerateName), longest)] + end
}
