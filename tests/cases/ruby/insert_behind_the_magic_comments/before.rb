#!/usr/bin/env ruby
# frozen_string_literal: true
require "set"
