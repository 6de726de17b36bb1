"""What several test folders share: client programs, a rendered chart, a Helm of each major."""
