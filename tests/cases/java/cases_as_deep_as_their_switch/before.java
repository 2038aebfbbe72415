/*
 * Copyright 2024 The Authors.
 */

package com.example.shop;

import java.util.List;
import java.util.Map;

import static java.util.Objects.requireNonNull;

/**
 * A shop that sells things.
 *
 * @param <T> what it sells
 */
@Service
@Table(name = "shop", schema = "main")
public class Shop<T extends Item & Priced> extends Base<T> implements Closeable, Comparable<Shop<T>> {
    private static final int LIMIT = 0x10;

    /** The things by name. */
    @Inject
    private final Map<String, T> items;
    private int width = 1, height = 2; // in metres

    static {
        register("Shop");
    }

    public Shop(Map<String, T> items) {
        super(items.size());
        this.items = requireNonNull(items);
    }

    /**
     * Sells one thing.
     */
    @Override
    @SuppressWarnings({"unchecked", "rawtypes"})
    public <R> Receipt sell(String name, int count, Function<T, R>... checks)
            throws SoldOut, IOException {
        // sell what is there
        final T item = items.get(name);
        if (item == null || count > LIMIT) {
            throw new SoldOut("sell: " + name);
        } else if (count == 0) {
            return null;
        }
        for (int i = 0; i < count; i++) {
            log(i, (long) item.price());
        }
        try (Lock lock = lock(); Log log = open(name)) {
            log.write(item);
        } catch (IOException | RuntimeException e) {
            return Receipt.of(e, 1.5);
        } finally {
            done();
        }
        return new Receipt(item, count);
    }

    public Receipt sell(String name) {
        return sell(name, 1);
    }

    int size() { return items.size(); }

    String usage() {
        return """
            usage:
              shop [name]
            """;
    }

    Runnable later() {
        return () -> {
            sell("later");
        };
    }

    Comparator<T> order() {
        return new Comparator<T>() {
            @Override
            public int compare(T a, T b) {
                return a.price() - b.price();
            }
        };
    }

    int rank(Object thing) {
        int[] ranks = {1, 2, 3};
        switch (ranks[0]) {
            case 1:
            case 2:
                // the first ones
                size();
                break;
            default:
                log('x');
        }
        return switch (thing) {
            case Item i when i.price() > 0 -> 1;
            case Pair(var a, var b) -> -2;
            case null, default -> true ? 3 : ranks.length;
        };
    }

    static class Inner {
        void sell() {
        }
    }
}
