fn f<T: Clone + Copy>(x: T) {}
