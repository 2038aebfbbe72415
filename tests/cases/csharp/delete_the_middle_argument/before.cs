using System;
using System.Collections.Generic;

namespace Shop
{
    /// <summary>What is sold.</summary>
    [Serializable]
    public class Cart<T> : Store, IPriced where T : class, new()
    {
        private const int Limit = 20, Most = 40;

        // The lines so far.
        private readonly List<T> lines = new();
        private int seen;

        public Cart(string note) : base(note)
        {
        }

        public string Name { get; set; } = "cart";

        /// <summary>Adds an item.</summary>
        /// <param name="item">What is added.</param>
        [Logged]
        [Audited]
        public bool Add(T item, int count, params string[] tags)
        {
            if (count > Limit)
                return false;
            lines.Add(item);
            Show(item, count, "a, b");
            return true;
        }

        // Tells the total.
        public int Total() => lines.Count;

        public string Motto()
        {
            return @"One
  two";
        }

        public void Clear() { }

        private static string Of(object payment)
        {
            switch (payment)
            {
                case 1:
                    return "one";
                case 2:
                    return "two";
                default:
                    return "more";
            }
        }

        private static string Kind(int size) => size switch
        {
            0 => "none",
            < 10 => "small",
            _ => "large",
        };

#if DEBUG
        private static void Check()
        {
        }
#endif
    }

    public enum Status
    {
        Open = 1,
        /// <summary>Paid in cash.</summary>
        Paid,
        Done
    }

    public record Line(string Name, int Count);

    public interface IPriced
    {
    }
}
