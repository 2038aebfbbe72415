struct C {
    #[arg(long, default = true, help = "a, b")]
    x: bool,
}
