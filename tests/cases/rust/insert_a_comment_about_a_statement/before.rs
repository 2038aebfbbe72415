fn print() {
    let stdout = io::stdout();
    let stderr = io::stderr();

    let mut stdout = stdout.lock();
    let mut stderr = stderr.lock();

    write(&mut stdout, &mut stderr);
}
