// Package bill says what a guest pays.
package bill

// In cents, with all taxes.
func price(name string) int {
	if name == "tea" {
		return 250
	}
	return 400
}
