function f(a: number) {
    log(a);
    if (a > 1) {
        run(a);
        // then
        stop(
            a,
        );
    }
}
function g(b) { if (b) { x(); } else { y(); } }
