# Copyright 2024 The Authors

library(dplyr)

limit <- 20L
rate = 1.19
prices <- c(tea = 4.5, cup = 12, pot = 39)

#' Adds up an order.
#'
#' @param lines What was ordered.
#' @export
total <- function(lines, rate = 1, ...) {
  if (is.null(lines)) {
    return(NULL)
  }
  sum <- 0
  for (line in lines) {
    sum <- sum + line * rate
  }
  while (sum > 100) {
    sum <- sum - 1
  }
  sum
}

# What to say.
label <- function(order) {
  text <- "a
  b"
  order$customer %>%
    toupper() %>%
    paste(text)
}

reset <- function() {}

square <- \(x) { x^2 }

Order <- R6Class("Order",
  public = list(
    customer = NULL,
    add = function(product, count = 1) {
      self$lines[[product]] <- count
    },
    drop = function() {
      self$lines <- NULL
    }
  )
)

setClass("Bill", representation(sum = "numeric"))
setGeneric("pay", function(x) standardGeneric("pay"))

test_that("a total is a sum", {
  expect_equal(total(c(1, 2)), 3)
})
