class API_EXPORT Widget : public Base {
    Q_OBJECT
public:
    Widget();
    int width() const { return 1; }
};

namespace fs = std::filesystem;
template <class T>
concept Small = requires(T t) {
    t.size();
};
template <class T>
    requires Small<T>
int f(T t) { return t[1]; }
template <> class Box<char> { int i; };
template class Box<int>;
static_assert(sizeof(int) == 4, "int");
template <class... Ts, typename U = int, template <class> class V> void all(Ts... ts) { (*this).go(); }
const int& ref(int&& z);
struct Method { const int& get() const; int* raw(); int operator()() { return 1; } ; template <class T> T get_as() { return T(); } Method() : a(1) {} operator int(); };
void heads() {
    if (auto it = m.find(1); it != m.end()) {}
    if (int i = f()) {}
    for (auto v : list) {}
}
