A = %i[a b].freeze
