# RUN: env PYTHONPATH=%S/Inputs %python %s %t
"""Files whose zip and JSON are sound but whose program is not what a writer of .pt2 makes: each is refused by what is wrong with it. (Damaged bytes and hostile
sizes: errors.test; random changes: mutants.test.)"""
import concurrent.futures
import copy
import os
import subprocess
import sys

from make_files import S0, archive, write

MODEL = "models/model.json"
GRAPH = (MODEL, "graph_module", "graph")
SIGNATURE = (MODEL, "graph_module", "signature")
WEIGHTS = "data/weights/model_weights_config.json"
META = (WEIGHTS, "config", "fc.weight", "tensor_meta")
FIRST = GRAPH + ("nodes", 0)
ARGUMENT = FIRST + ("inputs", 0, "arg")
SIZE = GRAPH + ("tensor_values", "x", "sizes", 0)
DELETE = object()
expression = lambda text: {"as_expr": {"expr_str": text, "hint": None}}

# (where, what stands there, what graphc-read says)
CASES = [
    # the archive
    ((WEIGHTS,), {"weights": {}}, 'has no "config"'),
    ((WEIGHTS, "config", "fc.weight", "path_name"), DELETE, "has no path_name for fc.weight"),
    (META + ("sizes",), DELETE, "the tensor fc.weight: the tensor has no sizes"),
    (META + ("strides",), [{"as_int": 1}], "the tensor has 2 sizes and 1 strides"),
    (META + ("layout",), 1, "the tensor isn't strided"),
    (META + ("storage_offset",), {"as_int": -1}, "the tensor's storage offset isn't a number"),
    (META + ("dtype",), DELETE, "the tensor has no dtype; expected a real floating point, integer or bool dtype"),
    # the program
    ((MODEL, "schema_version"), DELETE, "the program has no schema version"),
    (GRAPH, DELETE, "the program has no graph or no signature"),
    (SIGNATURE, DELETE, "the program has no graph or no signature"),
    (SIGNATURE + ("input_specs",), DELETE, "the signature has no input_specs"),
    (SIGNATURE + ("input_specs", 0), 7, "malformed input spec"),
    (SIGNATURE + ("input_specs", 0, "parameter", "parameter_name"), DELETE, "malformed input spec for a parameter_name"),
    (SIGNATURE + ("input_specs", 0), {"token": {"arg": {"name": "p_w"}}}, 'an input of the kind "token", which graphc doesn\'t support'),
    (SIGNATURE + ("output_specs",), DELETE, "the signature has no output_specs"),
    (SIGNATURE + ("output_specs", 0), {"user_output": {}}, "malformed output spec"),
    (SIGNATURE + ("output_specs", 1), {"user_output": {"arg": {"as_tensor": {"name": "gone"}}}}, 'an output: the value "gone" is used before it is defined'),
    # nodes
    (GRAPH + ("nodes",), DELETE, "the program has no nodes"),
    (FIRST, "sym_size", "a node isn't an object"),
    (FIRST + ("inputs",), DELETE, "it has no inputs"),
    (FIRST + ("inputs", 0), {"name": "self"}, "malformed input"),
    (ARGUMENT, 7, "malformed argument"),
    (ARGUMENT, {"as_ints": 7}, "malformed argument as_ints"),
    (ARGUMENT, {"as_sym_int": {"as_sym_int": {"as_name": "n"}}}, "malformed argument as_sym_int"),
    (ARGUMENT, {"as_sym_ints": [7]}, "malformed element of as_sym_ints"),
    (FIRST + ("outputs",), DELETE, "it has no outputs"),
    (FIRST + ("outputs", 0), 7, "malformed output"),
    (FIRST + ("outputs", 0), {"as_banana": {"name": "n"}}, 'an output of the unknown kind "as_banana"'),
    (FIRST + ("outputs", 0), {"as_tensors": [7]}, "an output that is a list of something else than tensors"),
    (GRAPH + ("tensor_values", "x", "sizes"), DELETE, 'the tensor "x": its meta has no sizes'),
    # symbolic sizes
    (SIZE, {"as_float": 1.5}, "a size is neither a number nor an expression"),
    (SIZE, expression("Integer(99999999999999999999)"), "a number that isn't a 64-bit integer"),
    (SIZE, expression(f"{S0} junk"), 'unexpected "junk"'),
    (SIZE, expression("Add(Integer(1) Integer(2))"), "expected ',' or ')'"),
    (SIZE, expression("Add(" + ", ".join(["Integer(1)"] * 65) + ")"), "too many operands"),
    (SIZE, expression("Symbol('0s', positive=True)"), "expected the name of a symbol"),
    (SIZE, expression("Symbol('s0', positive=True"), "expected ')'"),
    (SIZE, expression("Rational(1, 0)"), "malformed number"),
    (SIZE, expression("Float(1.5)"), "expected a quoted number"),
    (SIZE, expression(f"Where(Add({S0}, Integer(1)), Integer(1), Integer(2))"), "the condition the operation Add isn't a comparison"),
]


def spoiled(entries, where, value):
    place = entries
    for key in where[:-1]:
        place = place[key]
    if value is DELETE:
        del place[where[-1]]
    else:
        place[where[-1]] = value
    return entries


def check(folder, number):
    where, value, expected = CASES[number]
    path = os.path.join(folder, f"{number}.pt2")
    write(path, spoiled(copy.deepcopy(archive()), where, value))
    done = subprocess.run(["graphc-read", path], capture_output=True, text=True)
    if done.returncode == 1 and expected in done.stderr:
        return []
    return [f"{where} = {'nothing' if value is DELETE else value}: exit {done.returncode}, {done.stderr.strip()!r}, expected {expected!r}"]


folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    failures = sum(pool.map(lambda number: check(folder, number), range(len(CASES))), [])
print("\n".join(failures) or f"{len(CASES)} malformed files refused")
sys.exit(1 if failures else 0)
