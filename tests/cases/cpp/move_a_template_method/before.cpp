namespace shop {

class Cart {
  public:
    int count() const { return count_; }

    /// All of it.
    template <typename T>
    T total() const {
        return R"(
  raw
)";
    }

  private:
    int count_ = 0;
};

int post();
}
