"""Reading the schemas of data sources into rows; tests/catalog/scans."""
