"""Tags and filters of the catalogue's templates."""
