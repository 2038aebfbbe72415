//! A program that the examples of the help look at.

fn main() {
    let value4 = 4;
    let value5 = 5;
    let value6 = 6;
    let value7 = 7;
    let value8 = 8;
    let value9 = 9;
    let value10 = 10;
    let value11 = 11;
    let value12 = 12;
    let value13 = 13;
    let value14 = 14;
    let value15 = 15;
    let value16 = 16;
    let value17 = 17;
    let value18 = 18;
    let value19 = 19;
    let value20 = 20;
    let value21 = 21;
    let value22 = 22;
    let value23 = 23;
    let value24 = 24;
    let value25 = 25;
    let value26 = 26;
    let value27 = 27;
    let value28 = 28;
    let value29 = 29;
    let value30 = 30;
    let value31 = 31;
    let value32 = 32;
    let value33 = 33;
    let value34 = 34;
    let value35 = 35;
    let value36 = 36;
    let value37 = 37;
    let value38 = 38;
    let value39 = 39;
    let value40 = 40;
    let value41 = 41;
    let sum = value40 + value41;
    print(sum);
}
