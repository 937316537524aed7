package validate

// Quota is what the ResourceQuotas of a Job's namespace leave for it.
type Quota struct {
	// Want is the number of pods that run at once.
	Want int `json:"want"`
	// Exceeded are the quotas that leave too little; none when all is well.
	Exceeded []ExceededQuota `json:"exceeded"`
	// Lacking are the containers for which the API server will refuse the pods.
	Lacking []LackingQuota `json:"lacking"`
}

// ExceededQuota is a resource of which a quota leaves too little. Hard, Used
// and Asked are quantities; Asked is for all pods together, Pods how many of
// them may start.
type ExceededQuota struct {
	Quota    string `json:"quota"`
	Resource string `json:"resource"`
	Hard     string `json:"hard"`
	Used     string `json:"used"`
	Asked    string `json:"asked"`
	Pods     int    `json:"pods"`
}

// LackingQuota is a container that does not say how much it wants of resources
// which a quota counts.
type LackingQuota struct {
	Quota     string   `json:"quota"`
	Container string   `json:"container"`
	Resources []string `json:"resources"`
}
