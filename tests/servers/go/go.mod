module example.com/bill

go 1.21
