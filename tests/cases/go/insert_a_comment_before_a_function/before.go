package main

func a() {}

func b() {}
