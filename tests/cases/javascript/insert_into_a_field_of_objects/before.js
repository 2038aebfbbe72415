import def, * as all from "all";
fdescribe.each([1])("t %i", () => {});
test.describe.each([2])("u %i", () => {});
class Fields { static a = function () {}; b = {}; c = [];
  'quoted' = 1 }
var plain = function () {}, other = (1, 2, 3);
let arrow = () => [];
const parts = [...[1], { go: function* () {}, }, new Map([[1, 2]])];
try { risky(); } catch { recover(); }
bench(`fast`, () => {});
Base.create = () => {};
Base.Inner = class Inner {};
