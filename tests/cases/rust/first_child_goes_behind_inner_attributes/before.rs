mod a {
    #![allow(dead_code)]
    //! Inside.

    fn b() {}
}
