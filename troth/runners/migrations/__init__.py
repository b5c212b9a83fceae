"""Migrations of the store, for Alembic. ``store_schema`` runs them when a store is opened."""
