package main

func main() {
	cmd := &Command{
		Use: "a",
		Run: run,
	}
	cmd.Run()
}
