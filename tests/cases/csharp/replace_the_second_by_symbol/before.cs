class One
{
    void Close()
    {
        Log("closed");
    }
}

class Two
{
    void Close()
    {
        Log("closed");
    }

    event EventHandler Changed;
    ~Two() { }
    public static explicit operator int(Two two) => 1;
    int this[int index] => index;
    delegate void Shown(int index);
    event EventHandler Closed { add { } remove { } }
    struct Inner { }
}
