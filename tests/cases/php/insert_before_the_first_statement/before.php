<?php
a();
