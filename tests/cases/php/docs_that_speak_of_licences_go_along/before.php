<?php

namespace A;

// License is what a file may be used under.
class License {}

class Other {}
