//! The orders of a small shop.

const std = @import("std");
pub const limit: u32 = 20;
pub var orders: usize = 0;
threadlocal var seen: [*c]const volatile u8 = undefined;
extern "c" var errno: c_int;
export const table: [4:0]u8 align(8) linksection(".data") = undefined;
usingnamespace std.mem;

/// What can go wrong.
pub const ShopError = error{ Empty, TooMany };

const Handle = opaque {
    const size = 4;
};

/// How an order is paid.
const Payment = union(enum) {
    cash: u32,
    card: [16]u8,
    none,

    const default = .none;

    fn isPaid(self: Payment) bool {
        return switch (self) {
            .none => false,
            .cash, .card => |*value| value.* != 0,
            inline else => true,
        };
    }
};

const State = enum(u8) {
    packed_up,
    sent = 1,
    _,

    const first = State.packed_up;
};

fn List(comptime T: type) type {
    return struct {
        items: []const T = &.{},
        next: ?*@This() = null,
        comptime step: u8 align(4) = 1,

        const Self = @This();
        var made: u32 = 0;

        pub fn len(self: *const Self, noalias other: anytype) usize {
            _ = other;
            return self.items.len;
        }
    };
}

comptime {
    _ = limit;
}

extern fn write(fd: c_int, bytes: [*]const u8, ...) callconv(.C) isize;
inline fn both(a: bool, b: bool) bool {
    return a and b or !a;
}

const Callback = *const fn (u8) anyerror!void;
const Frame = anyframe->void;
const Small = if (limit > 5) u8 else u16;
const global: *addrspace(.generic) u8 = undefined;

pub fn total(prices: []const f32, rate: f32) ShopError!f32 {
    if (prices.len == 0) return error.Empty;
    var sum: f32 = 0.0;
    for (prices, 0..) |price, index| {
        sum += price * @as(f32, @floatFromInt(index));
    }
    var i: usize = 0;
    outer: while (i < 10) : (i += 1) {
        if (i == 5) {
            continue :outer;
        } else {
            break :outer;
        }
    }
    const kind = blk: {
        if (i > 3) break :blk 'a';
        break :blk '\n';
    };
    defer orders += 1;
    errdefer |problem| std.debug.print("{}\n", .{problem});
    nosuspend both(true, false);
    suspend {}
    comptime var step = 1;
    const first = prices[0] + prices[1..2][0];
    const maybe: ?u8 = if (i > 1) 1 else null;
    const sure = maybe.? + (maybe orelse 2);
    const found = for (prices) |price| {
        if (price > 1) break price;
    } else 0;
    const again = while (i < 3) i += 1 else 4;
    const code = write(1, "a", 1) catch |problem| return problem;
    const text =
        \\First line
        \\  second line
    ;
    const order = Order{ .name = "tea", .count = 1 };
    const pair = [_]u8{ 1, 2 };
    const frame = async both(true, true);
    _ = await frame;
    resume frame;
    const a, const b = .{ 1, 2 };
    const word = comptime nosuspend both(true, false);
    asm volatile ("nop"
        : [out] "=r" (-> usize),
        : [in] "r" (i),
        : "memory"
    );
    try check(sum, kind, step, first, sure, found, again, code, text, order, pair, a, b, word);
    return sum * rate;
}

fn kindOf(comptime T: type) comptime T {
    return label: {
        break :label undefined;
    };
}

test "the total of nothing" {
    try std.testing.expectError(error.Empty, total(&.{}, 1.0));
}

test total {}
