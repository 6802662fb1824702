"""What a conformance run found, as numbers (summary.json) and as a page (index.html)."""
import html as escape

OUTCOMES = ("right", "refused", "unavailable", "accepted", "wrong", "failed", "internal", "crash", "timeout")


def _share(counts):
    """Of the cases that PyTorch can make a model of, how many are right."""
    cases = sum(counts.values()) - counts.get("unavailable", 0)
    return counts.get("right", 0) / cases if cases else None


def summarize(units, problems):
    rows = {}
    for unit in units:
        counts = rows.setdefault((unit["task"]["opinfo"], unit["task"]["dtype"]), {})
        for case in unit["cases"]:
            counts[case["outcome"]] = counts.get(case["outcome"], 0) + 1
    dtypes = {}
    for (_, dtype), counts in rows.items():
        total = dtypes.setdefault(dtype, {})
        for outcome, n in counts.items():
            total[outcome] = total.get(outcome, 0) + n
    return {"cases": sum(sum(counts.values()) for counts in rows.values()),
            "dtypes": {dtype: dict(counts, share=_share(counts)) for dtype, counts in dtypes.items()},
            "below_60": sorted(f"{opinfo}/{dtype}" for (opinfo, dtype), counts in rows.items() if _share(counts) is not None and _share(counts) < 0.6),
            "problems": len(problems),
            "opinfos": [dict(counts, opinfo=opinfo, dtype=dtype, share=_share(counts)) for (opinfo, dtype), counts in sorted(rows.items())]}


def line(summary):
    parts = []
    for dtype, counts in summary["dtypes"].items():
        outcomes = ", ".join(f"{counts[o]} {o}" for o in OUTCOMES if counts.get(o))
        parts.append(f"{dtype}: {outcomes}" + (f" ({counts['share']:.1%} right)" if counts["share"] is not None else ""))
    return f"{summary['cases']} cases; " + "; ".join(parts) + f"; {len(summary['below_60'])} below 60 %; {summary['problems']} unexpected"


STYLE = """body{font:14px sans-serif;margin:2em}table{border-collapse:collapse}td,th{padding:2px 8px;border-bottom:1px solid #ddd;text-align:right}
td:first-child,th:first-child,td:last-child{text-align:left}.bad{background:#f8c8c8}.low{background:#fbeec0}pre{white-space:pre-wrap;margin:0}"""


def _texts(units):
    """For each row, the messages of what isn't right, each once with its first case."""
    texts = {}
    for unit in units:
        rows = texts.setdefault((unit["task"]["opinfo"], unit["task"]["dtype"]), {})
        for case in unit["cases"]:
            if case["outcome"] != "right":
                rows.setdefault(f"{case['outcome']}: {case['text'].strip()[:400]}", case["case"])
    return texts


def html(summary, units):
    texts = _texts(units)
    out = ["<!doctype html><meta charset=utf-8><title>graphc conformance</title><style>", STYLE, "</style><h1>graphc on PyTorch's OpInfo samples</h1>",
           f"<p>{escape.escape(line(summary))}</p><table><tr><th>OpInfo<th>dtype<th>right"]
    out += [f"<th>{outcome}" for outcome in OUTCOMES] + ["<th>messages"]
    for row in summary["opinfos"]:
        bad = any(row.get(o) for o in OUTCOMES[4:])
        low = row["share"] is not None and row["share"] < 0.6
        out.append(f"<tr class='{'bad' if bad else 'low' if low else ''}'><td>{escape.escape(row['opinfo'])}<td>{row['dtype']}")
        out.append(f"<td>{row['share']:.0%}" if row["share"] is not None else "<td>–")
        out += [f"<td>{row.get(o, '') or ''}" for o in OUTCOMES]
        messages = list(texts[row["opinfo"], row["dtype"]].items())[:12]
        inside = "".join(f"<pre>{escape.escape(case)}: {escape.escape(text)}</pre>" for text, case in messages)
        out.append(f"<td><details><summary>{len(messages)}</summary>{inside}</details>" if messages else "<td>")
    out.append("</table>")
    return "\n".join(out)
