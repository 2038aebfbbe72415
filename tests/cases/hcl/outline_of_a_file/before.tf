# The network of a small shop.
terraform {
  required_version = ">= 1.5"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = "~> 5.0"
    }
  }
}

variable "name" {
  description = "What everything is called."
  type        = string
  default     = null

  validation {
    condition     = length(var.name) > 0 && !startswith(var.name, "-")
    error_message = "No \"name\"."
  }
}

locals {
  zones  = ["a", "b"]
  sizes  = { small = 1, "big" : 20.5, (var.name) = -1 }
  public = [for index, zone in local.zones : cidrsubnet(var.cidr, 8, index) if zone != ""]
  by_id  = { for subnet in aws_subnet.public : subnet.id => subnet... }
  first  = aws_subnet.public[0].id
  joined = concat(aws_subnet.public[*].id, aws_subnet.private.*.id)
  old    = aws_subnet.public.0
  rest   = max(local.zones...)
  names  = "%{for zone in local.zones~}${zone}, %{endfor}"
  title  = "%{if var.open}${~var.name~}%{else}closed%{endif}"
}

data "aws_ami" "shop" {
  most_recent = true
  filter {
    name   = "name"
    values = ["shop-${var.name}-*"]
  }
}

/* The machine. */
resource "aws_instance" "shop" {
  count = var.open ? 1 : 0

  ami       = data.aws_ami.shop.id
  user_data = <<-EOT
    #!/bin/sh
      echo "${var.name}"
  EOT
  policy    = <<EOT
{ "a": 1 }
EOT

  tags = merge({ Name = var.name }, var.tags) // both

  lifecycle { ignore_changes = [tags] }
  ephemeral_block_device {}
}

output "id" {
  value = one(aws_instance.shop[*].id)
}
