# Encoding: isolates the macros of a text.
import re
import os
