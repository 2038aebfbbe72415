1 -> first
x <<- TRUE && FALSE
y <- stats::median(-x) + 1e6 + 2i + NA + Inf + NaN
repeat {
  break
}
rows[1, , drop = (FALSE)]
