class A
  module B
    def self.make
    end
  end
end
