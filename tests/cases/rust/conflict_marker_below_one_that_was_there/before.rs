const A: &str = "
<<<<<<< ours
";
