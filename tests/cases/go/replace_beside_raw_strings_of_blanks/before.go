package main

var a = `
    one
        two
    three
        four
`

func main() {
	if ready {
		add(`
    x
    y
    z
`)
	}
}
