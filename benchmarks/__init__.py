"""What things cost; a package, since Opacus installs another one under this name."""
