package com.example.kinds;

public enum Kind implements Named {
    /** Small things. */
    SMALL("s") {
        @Override
        String label() {
            return "little";
        }
    },
    MEDIUM("m"), // the usual
    LARGE("l");

    private final String code;

    Kind(String code) {
        this.code = code;
    }

    String label() {
        return code;
    }
}

enum Colour { RED, GREEN }

record Point(int x, int y) implements Named {
    static final Point ZERO = new Point(0, 0);

    Point {
        check(x, y, Point.class);
    }
}

sealed interface Shape permits Circle, Square {
    public static int SIDES = 4;

    /** How large it is. */
    double area();

    default boolean isLarge() {
        assert area() >= 0.5 : "area";
        return area() > 10 ? true : false;
    }
}

interface Solid extends Shape, Named {
    default int sum(Solid this, Outer.Inner<Integer> parts, Map<Integer, Integer> more) {
        int sum = 0;
        for (Integer part : parts) {
            sum += part instanceof Integer ? part : 0;
        }
        while (sum > 9) {
            sum -= 9;
        }
        again:
        do {
            int[] counts = new int[3];
            synchronized (this) {
                continue again;
            }
        } while (sum > 3);
        try {
            sum += switch (sum) { default -> { yield 1; } };
        } finally {
            sum--;
        }
        List<@NonNull String> names = parts.map(this::name);
        return more.reduce((a, b) -> a + b);
    }
}

@interface Marked {
    String[] value() default {};
}
