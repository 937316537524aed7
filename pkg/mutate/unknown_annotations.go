package mutate

// unknownAnnotations injects nothing; it speaks up about annotations under our
// prefix that mean nothing, since a slip such as "node" for "nodes" would turn
// a wide run into a narrow one in silence.
func unknownAnnotations(in *injection) {
	for _, key := range in.training.Unknown {
		in.warn("annotation %s means nothing to taojob and is ignored", key)
	}
}
