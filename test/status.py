"""status.py N COMMAND…: runs the command; exit 0 when its exit status is N, else 1 with a line that says what it was."""
import subprocess
import sys

status = subprocess.run(sys.argv[2:]).returncode
if status != int(sys.argv[1]):
    sys.exit(f"expected exit status {sys.argv[1]}, it was {status}")
