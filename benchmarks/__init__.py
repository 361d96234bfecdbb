"""Measurements beside other servers; may import `config.services`, nothing imports it."""
