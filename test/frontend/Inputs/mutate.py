"""Reads damaged variants of model files with graphc-read: mutate.py FOLDER FILE… [--json N] [--bytes N] [--members N].

Every FILE is cut at each KiB; --bytes flips bytes anywhere in the file, --members changes bytes inside an entry and writes the
archive anew, so that its checksums are right; --json does so with values of the program's JSON. graphc-read must answer every
file with an error or with success: never die, never take long.
"""
import argparse
import json
import os
import random
import subprocess
import sys
import zipfile

BATCH = 50
SECONDS_PER_BATCH = 120


def members(path):
    with zipfile.ZipFile(path) as archive:
        return [(info.filename, archive.read(info)) for info in archive.infolist()]


def write(path, entries):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name, data in entries:
            archive.writestr(zipfile.ZipInfo(name), data)


def places(value, path=()):
    """Every place in a JSON document, as a path of keys."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from places(inner, path + (key,))


def change_json(document, rng):
    document = json.loads(json.dumps(document))
    path = rng.choice([p for p in places(document) if p])
    parent = document
    for key in path[:-1]:
        parent = parent[key]
    odd = [None, True, -1, 0, 2**63 - 1, -2**63, 2**70, 1.5, "", "x" * 300, "as_tensor", [], {}, [[]], {"as_int": -1},
           {"as_tensor": {"name": "x"}}, {"as_expr": {"expr_str": "Add(Symbol('s9'), Integer(1))"}}, "Infinity"]
    action = rng.randrange(3)
    if action == 0:
        del parent[path[-1]]
    elif action == 1:
        parent[path[-1]] = rng.choice(odd)
    else:
        other = rng.choice([p for p in places(document)])
        value = document
        for key in other:
            value = value[key]
        parent[path[-1]] = json.loads(json.dumps(value))
    return document


def variants(path, arguments, rng):
    whole = open(path, "rb").read()
    for size in range(0, len(whole), 1024):
        yield whole[:size]
    for _ in range(arguments.bytes):
        data = bytearray(whole)
        for _ in range(rng.randrange(1, 4)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        yield bytes(data)
    entries = members(path)
    for _ in range(arguments.members):
        index = rng.randrange(len(entries))
        data = bytearray(entries[index][1] or b"\0")
        for _ in range(rng.randrange(1, 3)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        yield entries[:index] + [(entries[index][0], bytes(data))] + entries[index + 1:]
    documents = [i for i, (name, _) in enumerate(entries) if name.endswith(".json")]
    for _ in range(arguments.json if documents else 0):
        index = documents[0] if rng.random() < 0.8 else rng.choice(documents)
        document = change_json(json.loads(entries[index][1]), rng)
        yield entries[:index] + [(entries[index][0], json.dumps(document).encode())] + entries[index + 1:]


def read(paths):
    """The number of files read and refused; an exception when graphc-read did anything else."""
    run = subprocess.run(["graphc-read", "--quiet", *paths], capture_output=True, text=True, errors="replace",
                         timeout=SECONDS_PER_BATCH)
    refused = sum(line.startswith("error: ") for line in run.stderr.splitlines())
    done = sum(line.endswith(" nodes") for line in run.stdout.splitlines())
    if run.returncode not in (0, 1) or refused + done < len(paths):
        for path in paths if len(paths) > 1 else []:
            read([path])
        sys.exit(f"graphc-read died with {run.returncode} on {paths}: {run.stderr[-2000:]}")
    return done, refused


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("files", nargs="+")
    for option in ("--json", "--bytes", "--members"):
        parser.add_argument(option, type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    os.makedirs(arguments.folder, exist_ok=True)
    rng = random.Random(arguments.seed)
    done = refused = 0
    batch = []

    def flush():
        nonlocal done, refused
        if batch:
            d, r = read(batch)
            done, refused = done + d, refused + r
        batch.clear()

    for file in arguments.files:
        for i, variant in enumerate(variants(file, arguments, rng)):
            path = os.path.join(arguments.folder, f"{len(batch)}-{os.path.basename(file)}")
            if isinstance(variant, bytes):
                with open(path, "wb") as out:
                    out.write(variant)
            else:
                write(path, variant)
            batch.append(path)
            if len(batch) == BATCH:
                flush()
        flush()
    print(f"{done} read, {refused} refused")


if __name__ == "__main__":
    main()
