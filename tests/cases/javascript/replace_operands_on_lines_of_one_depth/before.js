function pad() {
  var index = -1,
      // How long it is.
      length = array.length,
      last;
  return (
    first ??
    second ??
    0
  );
}
