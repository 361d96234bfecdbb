"""`make release`: builds the wheel and the source archive, tries them as a newcomer would, and lists what they bring.

May import the product's packages; nothing of the product imports it. `toolbuilder_app` is what the wheel adds.
"""
