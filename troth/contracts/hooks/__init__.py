"""The door for what the language cannot say: functions of one's own, in files that a contract names."""
