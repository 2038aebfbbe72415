impl Point {}
