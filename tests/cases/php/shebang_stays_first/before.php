#!/usr/bin/env php
<?php
a();
