function pad() {
  var index = -1,
      length = array.length,
      last;
  return (
    first ??
    second ??
    0
  );
}
