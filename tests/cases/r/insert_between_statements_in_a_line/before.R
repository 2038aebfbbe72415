swap <- function(order) {
  left <- order$left; order$left <- order$right; order$right <- left
  order
}
tea <- 4.5; cup <- 12; can <- 30; # in euros
