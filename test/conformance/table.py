"""refused.tsv: the cases that graphc refuses, and why.

A row: OpInfo, dtype, the samples' numbers ("0-3,7"), the kinds of case ("pt cpu static, pt cpu symbolic"), the reason. The reason is
the message with what changes from sample to sample left out (`normal`). Refusals stand in it, and samples that PyTorch can make no model
of: a wrong value never does, nor a call that graphc accepts though eager refuses it.
"""
import re

HEADER = "# What graphc refuses of PyTorch's samples, and why: written by conformance.py --update.\n"
ENTERED = ("refused", "unavailable")


def normal(text):
    """The message without paths, places, numbers and shapes."""
    lines = [line.strip() for line in text.splitlines() if line.strip() and not re.search(r"\.py:\d+|<stdin>:\d+|^File ", line.strip())]
    text = " | ".join(lines) or text.strip().replace("\n", " | ")
    text = re.sub(r"^\S*?: ", "", text) if text.startswith(("model: ", "'model'")) else text
    text = re.sub(r"0x[0-9a-f]+", "…", text)
    text = re.sub(r"(?<![A-Za-z_\d])-?\d+(\.\d+)?(e-?\d+)?(?![A-Za-z_])", "N", text)
    text = re.sub(r"\b(s|in)\d+\b", "N", text)
    text = re.sub(r"N(, ?N|x ?N| [*+] N)+", "N", text)
    return text.replace("\t", " ")[:240]


def split(case):
    """("add/f32/3", "pt cpu static")"""
    key, _, kind = case.partition(" ")
    return key, kind


def ranges(numbers):
    numbers, parts = sorted(set(numbers)), []
    for n in numbers:
        if parts and parts[-1][1] == n - 1:
            parts[-1][1] = n
        else:
            parts.append([n, n])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in parts)


def numbers(text):
    for part in text.split(","):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


def read(path):
    """{(opinfo, dtype, number, kind): reason}"""
    expected = {}
    if path.exists():
        for line in path.read_text().splitlines():
            if line and not line.startswith("#"):
                opinfo, dtype, which, kinds, reason = line.split("\t")
                for number in numbers(which):
                    for kind in kinds.split(", "):
                        expected[opinfo, dtype, number, kind] = reason
    return expected


def _place(unit, case):
    key, kind = split(case["case"])
    return unit["task"]["opinfo"], unit["task"]["dtype"], int(key.rsplit("/", 1)[1]), kind


def update(path, units):
    expected = read(path)
    for unit in units:
        for case in unit["cases"]:
            expected.pop(_place(unit, case), None)
            if case["outcome"] in ENTERED:
                expected[_place(unit, case)] = normal(case["text"])
    rows = {}
    for (opinfo, dtype, number, kind), reason in expected.items():
        rows.setdefault((opinfo, dtype, reason), {}).setdefault(number, set()).add(kind)
    lines = []
    for (opinfo, dtype, reason), samples in rows.items():
        by_kinds = {}
        for number, kinds in samples.items():
            by_kinds.setdefault(", ".join(sorted(kinds)), []).append(number)
        lines += [f"{opinfo}\t{dtype}\t{ranges(which)}\t{kinds}\t{reason}" for kinds, which in by_kinds.items()]
    path.write_text(HEADER + "".join(line + "\n" for line in sorted(lines)))


def compare(expected, units):
    """One line for each case that isn't as the table says."""
    problems = []
    for unit in units:
        for case in unit["cases"]:
            reason = expected.get(_place(unit, case))
            outcome, text = case["outcome"], normal(case["text"])
            if outcome == "right":
                if reason:
                    problems.append(f"PASSES {case['case']}: the table says it is refused: {reason}")
            elif outcome in ENTERED:
                if reason != text:
                    problems.append(f"REFUSED {case['case']}: {text}" + (f" (the table says: {reason})" if reason else ""))
            else:
                problems.append(f"{outcome.upper()} {case['case']}: {case['text'].strip()}")
    return sorted(problems, key=lambda p: (not p.startswith(("WRONG", "CRASH")), p))
