"""Repair: from what a finding says and a document to edits of its text. Pure: no file is written."""
