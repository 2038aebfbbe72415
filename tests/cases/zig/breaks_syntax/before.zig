//! The orders of a small shop.

const std = @import("std");
pub const limit: u32 = 20;
var orders: usize = 0;

/// What can go wrong.
pub const ShopError = error{ Empty, TooMany };

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
        };
    }
};

const State = enum(u8) {
    packed_up,
    sent = 1,

    fn next(self: State) State {
        return self;
    }
};

const Empty = struct {};

pub const Order = struct {
    /// Who ordered.
    customer: []const u8,
    lines: u32 = 0, // as they came
    gift: bool = false,

    /// Adds a line.
    pub fn add(self: *Order, product: u32, count: u32) void {
        self.lines += product * count;
    }

    pub fn reset(self: *Order) void {}

    var made: u32 = 0;
    const zero = 0;
};

/// What is to be paid.
pub fn total(prices: []const f32, rate: f32) ShopError!f32 {
    if (prices.len == 0) return error.Empty;
    var sum: f32 = 0.0;
    for (prices, 0..) |price, index| {
        sum += price * @as(f32, @floatFromInt(index));
    }
    while (sum > 100) {
        sum -= 1;
    }
    if (sum > 5) {
        sum = 5;
    } else {
        print("{}", .{sum});
    }
    const text =
        \\First line
        \\  second line
    ;
    const order = Order{ .customer = "tea", .lines = 1 };
    use(text, order, 'a');
    return sum * rate;
}

test "the total of nothing" {
    try std.testing.expectError(error.Empty, total(&.{}, 1.0));
}

test total {}
