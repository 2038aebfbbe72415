package license

// License is what a file may be used under.
type License struct{}

type Other struct{}
