fn send_all(plan: &Plan, items: &[Item]) {
    if plan.is_ready() {
        send(plan, items);
    }
    finish(plan);
}
