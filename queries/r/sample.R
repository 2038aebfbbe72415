# The orders of a small shop.
library(dplyr)

limit <- 20L
rate = 1.19
Inf -> top
prices <- c(tea = 4.5, cup = 12, none = NA_real_, odd = NaN)
big <<- 1e6 + 0x1F
turn <- 2i

#' Adds up an order.
#'
#' @param lines What was ordered.
#' @return The sum.
#' @export
total <- function(lines, rate = 1, ...) {
  if (is.null(lines) || !length(lines)) {
    return(NULL)
  } else if (anyNA(lines)) {
    stop("no \"prices\"\n")
  }
  sum <- 0
  for (line in lines) {
    if (line < 0) next
    sum <- sum + line * rate
  }
  while (TRUE) {
    break
  }
  repeat {
    if (sum > 1) break
  }
  sum; rest <- ..1
  -sum + (rest - 1)
}

`%+%` <- function(a, b) paste0(a, b)
square <- \(x) x^2

label <- function(order) {
  text <- r"(a "raw" one)"
  order$customer %>%
    toupper() |>
    sprintf(fmt = "%s")
  order@state[[1]]
  order[["lines"]][1, , drop = FALSE]
  stats::median(order$lines)
  y ~ x + FALSE
}

Order <- R6Class("Order",
  public = list(
    customer = NULL,
    add = function(product, count = 1) {
      self$lines[[product]] <- count
      invisible(self)
    }
  )
)

setClass("Bill", representation(sum = "numeric"))
setGeneric("pay", function(x) standardGeneric("pay"))

test_that("a total is a sum", {
  expect_equal(total(c(1, 2)), 3)
})
