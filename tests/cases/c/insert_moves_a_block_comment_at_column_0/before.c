void f(void)
{
    if (x) {
        a();
    }
}
