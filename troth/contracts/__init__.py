"""The contract language. No network, no printing.

``yaml_files`` reads, ``document`` checks what was read. ``expressions``, ``leaves``, ``codecs`` and ``nodes`` are what
contracts are made of. ``compiler`` makes a ``contract`` of a document, ``model`` executes it.
"""
