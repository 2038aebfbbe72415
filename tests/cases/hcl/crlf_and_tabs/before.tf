locals {
	a = 1
}
