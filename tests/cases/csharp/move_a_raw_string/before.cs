#!/usr/bin/env dotnet
extern alias Legacy;
namespace Shop.Tools;

using System;

class Texts
{
    private string letter = """
        Dear
          all
        """;

    [Test, Slow]
    [return: NotNull]
#if DEBUG
    [Skipped]
#endif
    public void Write(int[] all, (int a, int b) pair)
    {
        var (low, high) = pair;
        (var x, var y) = pair;
        foreach (var (key, value) in pairs) Show(key);
        int[] more = new int[] { 1, 2, 3 };
        int[] few = [1, 2];
        var point = new Point(1, 2) { X = 1, Y = 2 };
        Point other = new(1);
        var kept = new { Name = "tea", low };
        Map<string, int> map = new Map<string, int>();
        if (point is { X: 1, Y: 2 } && few is [1, 2] && point is Point(1, 2)) Stop();
        items[1, 2] = $"{low} of {high}";
        Run(x => { Stop(); });
        for (int i = 0; i < 3; i++)
            Show(i);
        while (low > 0)
            low--;
        goto done;
    done:
        Show('a');
        void Local() { }
    }

#if A
    int a;
#elif B
    int b;
#else
    int c;
#endif
}
