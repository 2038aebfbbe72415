# -*- coding: latin-1 -*-
import os
import sys
