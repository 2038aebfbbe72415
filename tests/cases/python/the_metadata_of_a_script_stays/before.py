# /// script
# dependencies = ["httpx"]
# ///
import httpx
import os
