fn draw(root: &Area) {
    let mut chart = Chart::on(root);
    chart.draw();
    chart.show();
}
