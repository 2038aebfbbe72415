export const one = 1, two = 2;

function later() {
  send(1);
}
