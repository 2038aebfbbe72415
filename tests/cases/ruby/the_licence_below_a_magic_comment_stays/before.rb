# frozen_string_literal: true
# Copyright 2024 The Shop Authors
# Licensed under the MIT License.
class First
end

class Second
end
