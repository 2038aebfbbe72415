struct W(pub u16, u8);
