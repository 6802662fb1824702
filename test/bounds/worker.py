"""The process of bounds.py that may fault."""
import bounds

bounds.work()
