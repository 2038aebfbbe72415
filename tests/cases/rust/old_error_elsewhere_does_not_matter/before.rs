fn broken( {
}

fn good() {
    one();
}
