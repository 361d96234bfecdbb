"""What calls tell Prometheus and OpenTelemetry; loaded only where one of them is asked for."""
