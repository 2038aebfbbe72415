/// What follows reads.

/// Reads one.
int read() => 1;

int write() => 2;
