package mutate

// resultsRoot tells TAO where results go, when the author named a place.
func resultsRoot(in *injection) {
	if in.training.ResultsDir == "" {
		return
	}
	for _, c := range in.trainers {
		in.env(c, value("TAO_RESULTS_ROOT", in.training.ResultsDir))
	}
}
