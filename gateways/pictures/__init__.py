"""Pictures drawn with Pillow; may import core, and knows no framework."""
