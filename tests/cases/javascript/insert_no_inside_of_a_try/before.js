const Named = class extends Base {};
const gen = function* () {};
const handlers = { on: function () {}, off() {}, short };
export let level = 1;
export var older = 2;
export default class {
  handle = (event) => {};
}
var first, rest;
this.setup = () => {};
module.exports.Thing = class {};
Other.make = class {};
const deferred = new Promise((resolve) => {
  resolve(1);
});
export { gen, handlers as hooks };
const { a, b: [c, d] } = handlers;
const join = x => { try { return x; } catch (e) { throw e; } finally { done(); } };
if (a) { one(); } else { two(); }
x = (1, 2);
@logged
class Deco {
  @bound method() {}
}
