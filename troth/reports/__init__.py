"""Read a finished run, write what people and programs read: HTML, JSON, JUnit, Markdown, console."""
