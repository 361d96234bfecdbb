"""The list of tools and the page of each; tests in tests/toolbuilder/listing."""
