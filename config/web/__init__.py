"""What all pages share: shell, sign-in, theme, content policy; may import everything below config."""
