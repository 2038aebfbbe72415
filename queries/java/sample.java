package shop;

import static java.util.stream.Collectors.toList;

import java.io.IOException;
import java.util.*;
import java.util.function.Function;

/** A small shop: products, carts and the orders that are made of them. */
public class Shop<T extends Shop.Product & Comparable<T>> extends Store implements Priced, AutoCloseable {
    private static final int LIMIT = 0x14;
    private static long ordersToday;
    private final Map<String, Integer> stock = new HashMap<>();
    private final double[][] rates = {{1.0, 0.9}, {0.8}};
    protected @Size(min = 1) String name;

    static {
        ordersToday = 0L;
    }

    // What is sold, and for how much.
    @Documented
    @interface Size {
        int MAX = 64;

        int min() default 0;

        String[] units() default {};
    }

    record Product(String name, int price) implements Comparable<Product> {
        Product {
            if (price < 0) throw new IllegalArgumentException("a price of " + price);
        }

        @Override
        public int compareTo(Product other) {
            return Integer.compare(price, other.price);
        }
    }

    sealed interface Payment extends Priced permits Cash, Card {
        boolean PAID = true;

        void pay() throws IOException;
    }

    record Line(int count, Product product) {}

    record Cash(int cents) implements Payment {
        public void pay() {}
    }

    non-sealed static class Card implements Payment {
        public void pay() throws IOException {}
    }

    enum Status {
        OPEN,
        @Deprecated
        PAID("paid") {
            boolean done() {
                return true;
            }
        };

        private String word = null;

        Status() {
            this("open");
        }

        Status(String word) {
            this.word = word;
        }
    }

    @SuppressWarnings("unchecked")
    @Size(min = 1, units = {"cm", "mm"})
    public Shop(String name) {
        super(name);
        this.name = name;
    }

    void show(Shop<T> this, Object... lines) {
        for (Object line : lines) {
            System.out.println(line);
        }
    }

    public int total(List<? extends Product> products) {
        int sum = 0;
        for (int i = 0; i < products.size(); i++) {
            sum += products.get(i).price();
        }
        return sum >= 50_00 ? sum : sum + 390;
    }

    String describe(Object payment) {
        return switch (payment) {
            case null -> "nothing";
            case Cash(int cents) when cents > 100 -> "cash";
            case Line(_, Product(String first, int price)) -> first;
            case Card card -> "a card";
            case String text -> {
                char letter = text.charAt(0);
                yield letter == 'x' ? "unknown" : text.strip();
            }
            default -> throw new IllegalStateException();
        };
    }

    boolean isGift(Object thing) {
        if (thing instanceof Product product && product.price == 0) {
            return true;
        } else {
            return !(thing instanceof Cash(int cents)) & false;
        }
    }

    int days(int weekday) {
        switch (weekday) {
            case 6:
            case 7:
                return 3;
            default:
                return 1;
        }
    }

    synchronized void restock(int wanted) {
        int place = 07;
        search:
        while (true) {
            for (var entry : stock.entrySet()) {
                if (entry.getValue() < wanted) continue search;
                break search;
            }
        }
        do {
            place--;
        } while (place > 0b11);
        assert place >= 0 : "below the lowest shelf";
        synchronized (stock) {
            stock.put("tea", ~place);
        }
    }

    void send(String path) {
        try (var file = new java.io.FileWriter(path); this.log) {
            file.write("number\ttotal\n");
        } catch (IOException | RuntimeException problem) {
            System.err.println(problem.getMessage());
        }
        try {
            Thread.sleep(500);
        } catch (InterruptedException problem) {
            return;
        } finally {
            ordersToday++;
        }
    }

    <R> List<R> each(List<Product> products, Function<Product, R> rule) {
        Runnable later = () -> show("sent");
        Comparator<Product> byPrice = (first, second) -> first.price - second.price;
        return products.stream().sorted(byPrice).map(rule).collect(toList());
    }

    public static void main(String[] arguments) throws Exception {
        String motto = """
            Every cup
            is a small break.""";
        var names = new ArrayList<String>();
        int[] counts = new int[arguments.length];
        int[][] shelves = new int[4][];
        counts[0] = (int) 2.5f;
        float small = 0x1.8p1f;
        java.util.List<Product> products = List.of(new Product("tea", 450));
        Class<?> type = Product.class;
        List<@Size String> tags = new ArrayList<>();
        products.forEach(System.out::println);
    }
}
