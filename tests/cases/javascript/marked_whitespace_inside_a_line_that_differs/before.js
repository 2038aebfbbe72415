const a =  b + c;
