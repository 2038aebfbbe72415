name: []const u8,
size: u32 = 1,

const Handle = opaque {
    const size = 4;
};
const Kind = enum {
    one,

    const first = .one;
};
usingnamespace std.mem;

comptime {
    _ = Handle;
}

fn List(comptime T: type) type {
    return struct {
        items: []const T,
    };
}

fn run(a: ?u8) anyerror!void {
    const x = for ([_]u8{ 1, 2 }) |b| {
        if (b > 1) break b;
    } else 0;
    const y = while (x < 3) foo() else 4;
    const z: [4]u8 = comptime nosuspend async bar();
    defer baz(await z);
    errdefer |e| print(e.?);
    outer: while (true) continue :outer;
    suspend {}
    comptime var step = -1;
    nosuspend both();
    resume frame;
    asm volatile ("nop");
    const maybe = if (a) |b| b else (y orelse 1.5);
    const code = write(1) catch return;
    _ = prices[0] + prices[1..2][0] == false;
    pub_ = step;
}
