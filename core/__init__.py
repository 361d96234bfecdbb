"""Pure logic of tools: specs, arguments, statements, expressions, results. No I/O, no framework; imports nothing of ours."""
