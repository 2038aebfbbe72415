module A
  class Err < StandardError
  end
end
