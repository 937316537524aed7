package validate

// References are objects that the pods name.
type References struct {
	// Missing are the names of those that are not there; none when all are.
	Missing []string `json:"missing"`
}

// PullSecrets are the Secrets by which the pods take their images from NVIDIA's
// registry.
type PullSecrets struct {
	References
	// None tells that neither the pods nor their ServiceAccount name one.
	None bool `json:"none"`
	// Account is the ServiceAccount that names them; empty when the pods do.
	Account string `json:"account,omitempty"`
}
