{ a, b ? 1 }@args:
assert a != null;
(if a then -1 else !b) // { c = a ? d; e = x: x.y or 1.5; } ++ [ ./a ~/b <nixpkgs> https://x.y (c@{ z }: z) (let { body = 1; }) ]
