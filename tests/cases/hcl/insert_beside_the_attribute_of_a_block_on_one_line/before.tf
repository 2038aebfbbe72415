# The network.
terraform {
  required_version = ">= 1.5"
}

# What it is called.
variable "name" {
  type    = string
  default = null # none
}

variable "cidr" {}

locals {
  zones = ["a", "b"]
  sizes = { small = 1, big = 2 }
  ports = {
    web = 80
    tls = 443
  }
  names = {
    a = "x",
    b = "y",
  }
}

# The machine.
resource "aws_instance" "shop" {
  count = 2

  # What it runs.
  ami       = data.aws_ami.shop.id
  user_data = <<-EOT
    #!/bin/sh
      echo "${var.name}"
  EOT

  ingress {
    from_port = 80
  }

  tags = merge({ Name = var.name }, var.tags, local.more)
}

resource "aws_instance" "other" {
  count = 1
  lifecycle { prevent_destroy = true }
}

output "id" {
  value = aws_instance.shop[0].id
}
