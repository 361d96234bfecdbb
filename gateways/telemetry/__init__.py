"""Metrics for Prometheus and traces by OpenTelemetry, of every process; imported only where they are on."""
