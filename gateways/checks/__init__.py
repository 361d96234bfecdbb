"""What an administrator should know of a data source before tools read it; may import core and the other gateways."""
