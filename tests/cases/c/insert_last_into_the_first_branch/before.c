#ifdef FAST
int fast;
#elif SLOW
int slow;
#elif SLOWER
int slower;
#else
int slowest;
#endif
