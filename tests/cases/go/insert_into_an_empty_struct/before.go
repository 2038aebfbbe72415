package a

// A is empty.
type A struct{}
