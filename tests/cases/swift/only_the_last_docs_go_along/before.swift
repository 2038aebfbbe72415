/// What follows reads.

/// Reads one.
/// - Returns: it
func read() -> Int { 1 }

func write() -> Int { 2 }
