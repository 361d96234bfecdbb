"""The editor in a browser, on a page of its own."""
