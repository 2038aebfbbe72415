namespace store {

#if HAS_THREADS
class Pool {
 public:
  void run();
};
#else
class Pool {};
#endif  // HAS_THREADS

}  // namespace store
