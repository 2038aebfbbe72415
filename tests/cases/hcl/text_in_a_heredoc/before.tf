locals {
  text = <<EOT
kept
  as it is
EOT
}
