"""A payment provider on a real socket, independent of Troth: it imports nothing from it and reads no contract."""
