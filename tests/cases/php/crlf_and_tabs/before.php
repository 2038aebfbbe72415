<?php
class A {
	function a() {
		return 1;
	}

	function b() {}
}
