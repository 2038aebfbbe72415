#!/usr/bin/env dotnet
#define TILL
#undef PAPER
#pragma warning disable 414
extern alias Legacy;

using System;
using System.Collections.Generic;
using static System.Math;
using Stock = System.Collections.Generic.Dictionary<string, int>;
using Printer = Legacy::Office.Printer;

[assembly: CLSCompliant(false)]
[module: Unverifiable]

#nullable enable
Console.WriteLine("open");

namespace Shop.Counter
{
    /// <summary>Who looks at a price.</summary>
    public delegate int Rule<in T>(T item) where T : notnull;

    /// <summary>The sides of a parcel, in millimetres.</summary>
    public readonly record struct Size(int Width, int Height);

    /* What is sold, and for how much. */
    public record Product(string Name, int Price, params string[] Tags) : Item(Name), IComparable<Product>
    {
        public int CompareTo(Product? other) => Price.CompareTo(other?.Price ?? 0);
    }

    [Flags]
    public enum Status : byte
    {
        Open = 1,
        Paid = 1 << 1,
        [Obsolete("Use Paid")]
        Done,
    }

    public interface IPriced<out T>
    {
        T Total { get; }

        event EventHandler? Changed;

        int this[int index] { get; set; }
    }

    internal unsafe ref struct Digits
    {
        private fixed byte digits[8];
        private readonly Span<byte> rest;
        public delegate*<int, int, void> Shown;
        public delegate* unmanaged[Cdecl]<int, void> Printed;

        public void Fill(byte* source)
        {
            fixed (byte* start = digits)
            {
                *start = *source;
            }
            Span<int> small = stackalloc int[2];
            Span<int> smaller = stackalloc[] { 1, 2 };
            scoped Span<int> here = small;
            var width = sizeof(int);
        }

        public static void Old(object value)
        {
            TypedReference made = __makeref(value);
            var type = __reftype(made);
            var back = __refvalue(made, object);
        }
    }

    /// <summary>A small shop: products, carts and the orders that are made of them.</summary>
    /// <typeparam name="T">What it sells.</typeparam>
    [Serializable]
    [Table("shops", Schema = "main")]
    public sealed partial class Cart<T>(int limit = 20) : Store, IPriced<decimal>
        where T : class, IComparable<T>, new()
    {
        #region Fields
        private const int FreeShipping = 50_00, Handling = 0x1F;
        private static readonly double[,] Rates = new double[2, 2] { { 1.0, 0.9 }, { 0.8, .7f } };
        private readonly List<(T Item, int Count)> lines = new();
        private string? note;
        #endregion

        static Cart()
        {
            Orders = 0L;
        }

        public Cart(string note) : this(20)
        {
            this.note = note;
        }

        ~Cart()
        {
            Close();
        }

        public event EventHandler? Changed;

        public event EventHandler Closed
        {
            add { Watch(value); }
            remove => Forget(value);
        }

        public static long Orders { get; private set; } = 0;

        public decimal Total => lines.Count * 4.50m;

        public required string Note
        {
            get => note ?? "none";
            init { note = value; }
        }

        public T this[int index]
        {
            get => lines[index].Item;
            set => lines[index] = (value, 1);
        }

        decimal IPriced<decimal>.Total => Total;

        /// <summary>Adds a product.</summary>
        /// <param name="item">What is added.</param>
        [Logged]
        [return: NotNull]
        public bool Add([NotNull] T item, ref int count, out int all)
        {
            all = 0;
            if (lines.Count >= limit)
            {
                throw new InvalidOperationException("the cart is full");
            }
            else if (count == 0)
                count++;
            else
            {
                --count;
            }
            lines.Add((item, count));
            Changed?.Invoke(this, EventArgs.Empty);
#if !PAPER
            Print();
#endif
            return !false;
        }

        public static Cart<T> operator +(Cart<T> one, Cart<T> other) => one;

        public static explicit operator int(Cart<T> cart)
        {
            return cart.lines.Count;
        }

        // Counts what is of a name.
        private int CountOf(string name)
        {
            int count = 0, seen = 0;
            for (int i = 0, n = lines.Count; i < n; i++, seen++)
            {
                if (lines[i].Item is Product { Name: "tea" } product && product.Name == name)
                    continue;
                count += lines[i].Count;
            }
            foreach (var (item, _) in lines)
            {
                Show(item);
            }
            foreach ((string word, int place) in words) Show(word);
            while (seen > 0)
            {
                seen--;
                break;
            }
            do
            {
                seen += 2;
            } while (seen < 10);
            ;
            return count;
        }

        private string Describe(object payment)
        {
            switch (payment)
            {
                case int cents when cents > 100:
                    return "notes";
                case 1:
                case 2:
                    goto case 3;
                case 3:
                    goto done;
                default:
                    break;
            }
        done:
            return payment switch
            {
                null => "nothing",
                < 0 or > 100_000 => "odd",
                Size(var width, _) { Height: 1 } size => $"{width,5:N0} of {size}",
                Product { Price: >= 1, Tags: [var first, _] } => first,
                (int one, string two) => two,
                not string and not (char or bool) => """
                    a long
                      story
                    """,
                Product _ => $@"c:\{nameof(Product)}",
                var (left, right) => left,
                var other => other is T,
                Size => "a size",
                [1, 2] list => "a list",
                _ => @"c:\shop
till",
            };
        }

        private async Task<IEnumerable<int>> Sorted(IEnumerable<T> items)
        {
            using var log = Open("log");
            using (var door = Open("door"))
            {
                await door.Wait(1);
            }
            lock (lines)
            {
                lines.Clear();
            }
            try
            {
                checked { Orders += 1; }
                unchecked { Orders += int.MaxValue; }
                Orders = checked(Orders + 1);
            }
            catch (IOException error) when (error.Message != null)
            {
                throw;
            }
            catch
            {
                Close();
            }
            finally
            {
                Close();
            }
            unsafe
            {
                int* place = &limit;
            }
            Func<int, int> twice = static x => x * 2;
            Func<int, int, int> sum = (int a, int b) => { return a + b; };
            Action old = delegate (int x) { Close(); };
            int Half(int x) => x / 2;
            var anonymous = new { Name = "tea", limit };
            var letters = new[] { 'a', '\n' };
            var more = new List<int> { 1, 2, 3 };
            Size small = new(1, 2) { Width = 3 };
            var wide = small with { Width = 4 };
            int[] all = [1, .. more, 3];
            var few = all[1..^1];
            var start = all?[0];
            var type = typeof(List<>);
            var none = default(int);
            if (payment is int) Close();
            var text = (payment as string)!;
            var cents = (int)4.5;
            var word = true ? "yes" : "no\t"u8;
            ref int first = ref all[0];
            note ??= base.ToString();
            (int low, var high) = (1, 2);
            return from item in items
                   join other in others on item.Name equals other.Name into same
                   let price = item.Price
                   where price > 10
                   orderby price descending, item.Name
                   group item by price into groups
                   select groups.Key;
        }

        private IEnumerable<int> Hours()
        {
            for (;;)
            {
                yield return 9;
                yield break;
            }
        }

#if TILL
        [DllImport("till")]
        private static extern void Lock();
#elif PAPER
#warning there is no paper
        private static void Lock() => throw new NotSupportedException();
#else
#error there is neither
        private static void Lock() { }
#endif
#line 200 "till.cs"
        private static global::System.Int32 last = 1;
    }
}
