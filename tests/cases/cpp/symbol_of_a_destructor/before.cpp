#include <vector>
#include <string>

namespace geo::flat {

/// A box of things.
template <typename T, int N = 3>
class Box : public Base<T>, private Other {
public:
    /// Makes one.
    explicit Box(int x) : x_(x), y_{2} {}
    ~Box();
    virtual void run() const = 0;
    T& at(int i) { return data[i]; }
    operator bool() const { return true; }
    bool operator==(const Box& other) const;
    template <class U> void put(U&& u);
    [[nodiscard]] int size() const noexcept;
    enum class Kind : int { A, B };
    using type = T;

private:
    int x_ = 0, y_; // both
    T data[N];
};

template <> struct Box<int, 4> {
    int sum() const;
};

template <typename T, int N>
template <class U>
void Box<T, N>::put(U&& u) {
    // put it
    std::string s = R"(put
  it)";
    for (auto& [key, value] : items)
        use(key);
    auto f = [this, &u](int a) -> int {
        return a + x_;
    };
    try {
        f(1);
    } catch (const std::exception& e) {
        throw;
    }
    delete new int[3];
}

template <typename T, int N>
Box<T, N>::~Box() {}

int area(int w, int h = 2) { return w * h; }
double area(double w, double h) { return w * h; }
int Other::count = 0;

}  // namespace geo::flat

TEST(Box, Puts) {
    EXPECT_EQ(1, 1);
}

using geo::flat::area;
