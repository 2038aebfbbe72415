package shop

func find(name string) int {
	price := prices[name]
	return price
}
