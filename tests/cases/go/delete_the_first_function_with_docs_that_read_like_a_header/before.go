// Package text is licensed per seat.
package text

// Licence returns the license of a user; do not edit it.
// vim: the editor that shows it.
func Licence(user string) string {
	return user
}

func Other(user string) string {
	return user
}
