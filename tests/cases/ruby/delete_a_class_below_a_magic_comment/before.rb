# frozen_string_literal: true
# Counts.
class Counter
  def up = 1
end

class Other
end
