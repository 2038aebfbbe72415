const X: &str = r"
 a
";
