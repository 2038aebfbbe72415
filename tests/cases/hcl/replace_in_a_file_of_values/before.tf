name  = "shop"
zones = ["a", "b"]
