struct S(u8, pub u16);
