"""Reading: YAML narrowed to what cannot be misread, with places."""
