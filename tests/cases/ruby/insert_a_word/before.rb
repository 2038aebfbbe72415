SIZES = {
  small: 1,
  "big" => 20, # per box
  text: <<~TEXT,
    a
      b
  TEXT
  last: 3
}.freeze
WORDS = %w[tea cup]
PUT = [
  1,
  2,
]
