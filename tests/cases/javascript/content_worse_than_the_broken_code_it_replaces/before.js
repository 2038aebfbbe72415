function first( {
  call(1, 2);
  other[3];
}

const pair = {left: 1, right: 2};
