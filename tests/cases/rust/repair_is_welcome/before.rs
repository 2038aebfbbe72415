fn broken() {
    let x = = 1;
}

fn good() {}
