"""The self-test: drifts that are known, because they are planted, and whether Troth finds them.

- ``twin`` is a provider on a real socket. It knows nothing of Troth; ``contract`` describes it.
- ``drifts`` are the rows of what is planted in it, ``noise`` what may differ without anything being wrong, ``faults``
  what is no drift because nothing could be checked, ``edits`` what changes in the contract instead of the provider.
- ``nights`` runs them, ``scoring`` says what came of each, ``results`` writes it down.
"""
