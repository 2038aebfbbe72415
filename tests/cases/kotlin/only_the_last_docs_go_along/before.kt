/** What follows reads. */

/** Reads one. */
fun read() = 1

fun write() = 2
