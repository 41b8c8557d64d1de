"""The steps of a migration, one module for each part of the way."""
