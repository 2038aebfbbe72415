#!/usr/bin/env ruby
# typed: true
# encoding: utf-8
class First
end

class Second
end
