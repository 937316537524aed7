package capacity

import "regexp"

// ordinary is how names of resources and of nodes' labels look. An author may
// write anything for one, also what has to be kept secret: tokens are longer, or
// of capitals and digits besides.
var ordinary = regexp.MustCompile(`^(?:[a-z0-9.-]{1,63}/)?(?:[a-z0-9._-]{1,32}|[A-Za-z0-9._-]{1,16})$`)

// shown is a name that an author wrote, for a message.
func shown(name string) string {
	if ordinary.MatchString(name) {
		return name
	}
	return "(an unusual name)"
}
