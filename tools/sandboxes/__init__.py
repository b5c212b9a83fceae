"""Third-party programs that play a provider's part: stand-ins for a sandbox, and other versions of an official SDK.

None of them is imported. Each is installed on first use, from the package registries that the machine is set up for,
into an environment of its own under ``.cache``, and runs as a process of its own.

- ``installing`` makes the environments, one process at a time, and says why when it cannot.
- ``serving`` starts a server on a free port, waits until it answers, and always stops it.
- ``leash`` is the process between: it stops the server also when the process that started it is gone.
- ``localstripe``, ``stateful_mock``, ``moto``, ``old_sdk`` and ``aws_sdk`` are the programs.
"""
