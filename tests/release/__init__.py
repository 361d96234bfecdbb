"""Of release/: what goes into the wheel, and what may not. The whole release is tried by `make release`."""
