# The orders of a small shop.
module Shop

export Order, add!, total
using Dates: Date, now
import Base

const RATES = [1.07, 1.19, 1.0]

"An order."
mutable struct Order
    "Who pays."
    customer::String
    lines::Int  # as they came
    gift
end

"""
    add!(order, product, count)

Adds a line.
"""
function add!(order::Order, product, count; times = 1, gift = false)
    order.lines += product * count
    return order
end

# Back to the beginning.
function reset!(order::Order)
end

@inline function total(prices, rate)
    sum = 0.0
    for price in prices
        sum += price
    end
    if sum > 100
        sum = 100.0
    elseif sum > 50
        sum -= 1
    else
        show(sum)
    end
    text = """
        First line
          second line
        """
    log(text, rate)
    sum * rate
end

area(w, h) = w * h
Base.length(order::Order) = order.lines

function sums(files)
    map(files) do file
        read(file)
    end
    try
        close(files)
    catch problem
        show(problem)
    finally
        done()
    end
end

end # module
