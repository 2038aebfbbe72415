class Getter {
 public:
  int size();

 private:
  Mutex mutex_;  // protects all internal state

  // What was on the stack below the call.
  void* caller_frame_;

  int depth_;
};
