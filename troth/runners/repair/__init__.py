"""Adopting what a provider does: a patch of the contract, and what replays of the recorded nights say of it."""
