class One {
    func close() {
        log("closed")
    }
}

struct Two {
    func close() {
        log("closed")
    }
}
