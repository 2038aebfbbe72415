each { |a| a.go }
