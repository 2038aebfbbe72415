print "a"
exec "b"
