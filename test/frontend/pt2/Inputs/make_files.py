"""Writes .pt2 files by hand, without torch: make_files.py FOLDER. One good file, and damaged or hostile variants of it."""
import copy
import io
import json
import os
import struct
import sys
import zipfile


def tensor_meta(sizes, strides=None, dtype=7, offset=0):
    symbolic = lambda size: {"as_int": size} if isinstance(size, int) else {"as_expr": {"expr_str": size, "hint": None}}
    if strides is None:
        strides = [1] * len(sizes)
    return {"dtype": dtype, "sizes": [symbolic(s) for s in sizes], "requires_grad": False,
            "device": {"type": "cpu", "index": None}, "strides": [symbolic(s) for s in strides],
            "storage_offset": {"as_int": offset}, "layout": 7}


S0 = "Symbol('s0', positive=True, integer=True)"


def node(target, inputs, outputs, line, file="app/model.py", stack=""):
    trace = (f'  File "{file}", line {line}, in forward\n    y = f(x)\n'
             f'  File "venv/site-packages/torch/nn/modules/linear.py", line 134, in forward\n    return F.linear(x)\n')
    return {"target": target, "inputs": [{"name": n, "arg": a, "kind": 1} for n, a in inputs], "outputs": outputs,
            "metadata": {"stack_trace": trace if line else "", "nn_module_stack": stack}, "name": "node"}


def T(name):
    return {"as_tensor": {"name": name}}


def program():
    x = [S0, 4]
    graph = {
        "inputs": [T("p_w"), T("b_n"), T("c_0"), T("x")], "outputs": [T("add"), T("y")],
        "nodes": [
            node("torch.ops.aten.sym_size.int", [("self", T("x")), ("dim", {"as_int": 0})],
                 [{"as_sym_int": {"as_name": "n"}}], 5),
            node("_operator.mul", [("a", {"as_sym_int": {"as_name": "n"}}), ("b", {"as_int": 2})],
                 [{"as_sym_int": {"as_name": "n2"}}], 5),
            node("torch.ops.aten.linear.default", [("input", T("x")), ("weight", T("p_w"))], [T("linear")], 6,
                 stack="L__self__,,app.Model;L__self__fc,fc,torch.nn.Linear[a,b]"),
            node("torch.ops.aten.split_with_sizes.default",
                 [("self", T("linear")), ("split_sizes", {"as_sym_ints": [{"as_int": 1}, {"as_name": "n2"}]})],
                 [{"as_tensors": [{"name": "y"}, {"name": "z"}]}], 7),
            node("torch.ops.aten.add.Tensor", [("self", T("linear")), ("other", T("c_0"))], [T("add")], 0),
            node("torch.ops.aten.full.default",
                 [("size", {"as_ints": [2]}), ("fill_value", {"as_float": "-Infinity"}),
                  ("dtype", {"as_scalar_type": 7})], [T("full")], 9),
        ],
        "tensor_values": {"p_w": tensor_meta([4, 4], [4, 1]), "b_n": tensor_meta([2]), "c_0": tensor_meta([4]),
                          "x": tensor_meta(x, [4, 1]), "linear": tensor_meta(x, [4, 1]), "add": tensor_meta(x, [4, 1]),
                          "y": tensor_meta([1, 4], [4, 1]), "full": tensor_meta([2]),
                          "z": tensor_meta([f"Add(Mul(Integer(2), {S0}), Integer(-1))", 4], [4, 1])},
        "sym_int_values": {}, "sym_bool_values": {}, "custom_obj_values": {}, "is_single_tensor_return": False}
    leaf = {"type": None, "context": None, "children_spec": []}
    in_spec = [1, {"type": "builtins.tuple", "context": "null", "children_spec": [
        {"type": "builtins.tuple", "context": "null", "children_spec": [
            {"type": "builtins.dict", "context": json.dumps(["image"]), "children_spec": [leaf]}]},
        {"type": "builtins.dict", "context": "[]", "children_spec": []}]}]
    out_spec = [1, {"type": "builtins.dict", "context": json.dumps(["sum", "first"]), "children_spec": [leaf, leaf]}]
    return {
        "graph_module": {
            "graph": graph,
            "signature": {
                "input_specs": [
                    {"parameter": {"arg": {"name": "p_w"}, "parameter_name": "fc.weight"}},
                    {"buffer": {"arg": {"name": "b_n"}, "buffer_name": "n", "persistent": False}},
                    {"tensor_constant": {"arg": {"name": "c_0"}, "tensor_constant_name": "lifted"}},
                    {"user_input": {"arg": T("x")}}],
                "output_specs": [
                    {"buffer_mutation": {"arg": {"name": "full"}, "buffer_name": "n"}},
                    {"user_output": {"arg": T("add")}}, {"user_output": {"arg": T("y")}}]},
            "module_call_graph": [{"fqn": "", "signature": {
                "in_spec": json.dumps(in_spec), "out_spec": json.dumps(out_spec), "forward_arg_names": ["batch"]}}],
            "metadata": {}, "treespec_namedtuple_fields": {}},
        "opset_version": {"aten": 10}, "schema_version": {"major": 8, "minor": 20}, "torch_version": "2.15.0",
        "range_constraints": {"s0": {"min_val": 2, "max_val": 64}},
        "guards_code": ["L['batch']['image'].size()[0] % 2 == 0 and 3 * L['batch']['image'].size()[0] // 2 <= 90"]}


def weight(sizes, strides, path, **keywords):
    return {"path_name": path, "is_param": True, "use_pickle": False,
            "tensor_meta": tensor_meta(sizes, strides, **keywords)}


def archive():
    """Entry names without the root folder, and their contents; dicts are written as JSON."""
    floats = lambda *values: struct.pack(f"<{len(values)}f", *values)
    return {
        "archive_format": b"pt2", "archive_version": b"0", "byteorder": b"little", ".data/version": b"3",
        "models/model.json": program(),
        "data/weights/weight_0": floats(*range(16)), "data/weights/weight_1": b"",
        "data/weights/model_weights_config.json": {"config": {"fc.weight": weight([4, 4], [1, 4], "weight_0"),
                                                              "n": weight([2], [1], "weight_1")}},
        "data/constants/tensor_0": floats(*range(10, 20)),
        "data/constants/model_constants_config.json": {"config": {"lifted": weight([4], [2], "tensor_0", offset=1)}},
    }


def write(path, entries, deflated=(), root="m/"):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as file:
        for name, data in entries.items():
            data = json.dumps(data).encode() if isinstance(data, dict) else data
            method = zipfile.ZIP_DEFLATED if name in deflated else zipfile.ZIP_STORED
            file.writestr(zipfile.ZipInfo(root + name), data, method)


def variants():
    """(name, function that spoils a copy of the archive)."""
    def at(*keys, value):
        def spoil(entries):
            place = entries
            for key in keys[:-1]:
                place = place[key]
            if value is None:
                del place[keys[-1]]
            else:
                place[keys[-1]] = value
        return spoil
    model, graph = "models/model.json", ("models/model.json", "graph_module", "graph")
    weights = ("data/weights/model_weights_config.json", "config")
    meta = weights + ("fc.weight", "tensor_meta")
    size = graph + ("tensor_values", "x", "sizes", 0)
    expression = lambda text: {"as_expr": {"expr_str": text, "hint": None}}
    first = graph + ("nodes", 0)
    return [
        ("format", at("archive_format", value=b"pt3")), ("version", at("archive_version", value=b"1")),
        ("big_endian", at("byteorder", value=b"big")), ("no_program", at(model, value=None)),
        ("two_programs", at("models/other.json", value={})),
        ("not_json", at(model, value=b"{\"graph_module\": ")), ("array", at(model, value=b"[1]")),
        ("deep", at(model, value=b"[" * 5000 + b"]" * 5000)),
        ("schema", at(model, "schema_version", "major", value=9)),
        ("short_weight", at("data/weights/weight_0", value=b"\0" * 60)),
        ("no_weight", at("data/weights/weight_0", value=None)),
        ("no_config_entry", at(*weights, "fc.weight", value=None)),
        ("pickled", at(*weights, "fc.weight", "use_pickle", value=True)),
        ("complex", at(*meta, "dtype", value=10)), ("negative", at(*meta, "sizes", 0, value={"as_int": -1})),
        ("overflow", at(*meta, "strides", value=[{"as_int": 2**62}, {"as_int": 2**62}])),
        ("huge_zeros", at(*weights, "n", "tensor_meta", "sizes", value=[{"as_int": 2**50}])),
        ("undefined", at(*first, "inputs", 0, "arg", value=T("nowhere"))),
        ("custom_object", at(*first, "inputs", 0, "arg", value={"as_custom_obj": {"name": "o", "class_fqn": "a.B"}})),
        ("argument_kind", at(*first, "inputs", 0, "arg", value={"as_banana": 1})),
        ("sqrt", at(*size, value=expression(f"OpaqueUnaryFn_sqrt({S0})"))),
        ("inexact", at(*size, value=expression(f"TruncToInt(Mul(Float('3.14159265', precision=53), ToFloat({S0})))"))),
        ("nested_size", at(*size, value=expression("Add(" * 200 + S0 + ")" * 200))),
        ("unfinished_size", at(*size, value=expression("Add(Integer(1), "))),
        ("guard", at(model, "guards_code", value=["f(L['batch']['image'].size()[0]) == 3"])),
        ("training", at(model, "graph_module", "signature", "output_specs", 0,
                        value={"gradient_to_parameter": {"arg": {"name": "full"}, "parameter_name": "fc.weight"}})),
    ]


def text(value):
    return b"X" + struct.pack("<I", len(value)) + value.encode()


def integer(value):
    return b"J" + struct.pack("<i", value)


def pickle_tensor(key, sizes, strides, offset=0, storage="FloatStorage", function="torch._utils\n_rebuild_tensor_v2\n"):
    numbers = lambda values: b"(" + b"".join(integer(v) for v in values) + b"t"
    persistent = b"(" + text("storage") + b"ctorch\n" + storage.encode() + b"\n" + text(key) + text("cpu") + integer(9) + b"tQ"
    return (b"c" + function.encode() + b"(" + persistent + integer(offset) + numbers(sizes) + numbers(strides) +
            b"\x89ccollections\nOrderedDict\n)RtR")


def pickle_dict(items):
    return b"\x80\x02ccollections\nOrderedDict\n)R(" + b"".join(text(k) + v for k, v in items.items()) + b"u."


def saved(pickle, storages):
    """A file of torch.save."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("archive/data.pkl", pickle)
        for key, contents in storages.items():
            archive.writestr("archive/data/" + key, contents)
    return data.getvalue()


def states():
    """State dicts as torch.save pickles them: a good one, and ones that attack whoever unpickles."""
    weight = lambda **keywords: pickle_tensor(**{"key": "0", "sizes": (4, 4), "strides": (4, 1), **keywords})
    n = pickle_tensor("1", (2,), (1,))
    storages = {"0": struct.pack("<16f", *range(16)), "1": struct.pack("<2f", 5, 6)}
    parameter = b"ctorch._utils\n_rebuild_parameter\n(" + weight() + b"\x88ccollections\nOrderedDict\n)RtR"
    good = pickle_dict({"fc.weight": parameter, "n": n})
    entry = lambda value: pickle_dict({"fc.weight": value, "n": n})
    return [(name, saved(pickle, storages)) for name, pickle in [
        ("good", good), ("truncated", good[:100]), ("call", entry(b"cos\nsystem\n(" + text("touch owned") + b"tR")),
        ("quantized", entry(weight(function="torch._utils\n_rebuild_qtensor\n"))),
        ("complex", entry(weight(storage="ComplexFloatStorage"))), ("beyond", entry(weight(sizes=(4, 5)))),
        ("negative", entry(weight(strides=(-4, 1)))), ("no_storage", entry(weight(key="7"))),
        ("escape", entry(weight(key="../../secret"))), ("underflow", b"\x80\x02R."), ("no_mark", b"\x80\x02t."),
        ("no_memo", b"\x80\x02h\x05."), ("opcode", b"\x80\x02\xff."), ("protocol", b"\x80\x05N."), ("list", b"\x80\x02]."),
        ("itself", b"\x80\x02}q\x00(" + text("fc.weight") + b"h\x00u."), ("endless", b"(" * 100000),
        ("key", b"\x80\x02}(" + integer(1) + integer(2) + b"u.")]]


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    good = archive()
    write(os.path.join(folder, "good.pt2"), good)
    write(os.path.join(folder, "deflated.pt2"), good, deflated=("models/model.json",))
    write(os.path.join(folder, "deflated_weight.pt2"), good, deflated=("data/weights/weight_0",))
    for name, spoil in variants():
        entries = copy.deepcopy(good)
        spoil(entries)
        write(os.path.join(folder, name + ".pt2"), entries)
    for name, state in states():
        write(os.path.join(folder, "pickle_" + name + ".pt2"),
              {"serialized_exported_program.json": program(), "serialized_state_dict.pt": state,
               "serialized_constants.pt": saved(pickle_dict({"lifted": pickle_tensor("0", (4,), (2,), 1)}),
                                                {"0": struct.pack("<10f", *range(10, 20))})}, root="")
    damaged = bytearray(open(os.path.join(folder, "good.pt2"), "rb").read())
    damaged[damaged.index(struct.pack("<4f", 0, 1, 2, 3)) + 5] ^= 1
    with open(os.path.join(folder, "bit_flip.pt2"), "wb") as file:
        file.write(damaged)


if __name__ == "__main__":
    main()
