# frozen_string_literal: true
# Sets.
require "set"
require "json"
