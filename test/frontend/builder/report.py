# RUN: %python %s %t.pt
# RUN: not graphc-import %t.pt --input 'x=f32[2,3]' 2>&1 | FileCheck %s
# RUN: not graphc-import %t.pt --method raises --input 'x=f32[2,3]' --bind n=-1 2>&1 | FileCheck %s --check-prefix=RAISE
# RUN: graphc-import %t.pt --method raises --input 'x=f32[2,3]' --bind n=3 2>&1 | FileCheck %s --check-prefix=NOTE
# RUN: not graphc-import %t.pt --method endless --input 'x=f32[2,3]' 2>&1 | FileCheck %s --check-prefix=LOOP
# RUN: not graphc-import %t.pt --method forms --input 'x=f32[2,3]' 2>&1 | FileCheck %s --check-prefix=FORMS
# RUN: not graphc-import %t.pt --method expanded --input 'x=f32[1,3]' 2>&1 | FileCheck %s --check-prefix=EXPANDED
# REQUIRES: torch, python-torch
"""Errors: everything unsupported in one report with lines and counts; exceptions on the path taken; loops and states that don't end."""
import sys
import warnings

import torch
from torch import Tensor, nn

warnings.filterwarnings("ignore")


class M(nn.Module):
    seen: Tensor

    def __init__(self):
        super().__init__()
        self.seen = torch.zeros(1)

    def forward(self, x):
        # CHECK: error: {{.*}}: these parts of the model are not supported:
        # CHECK-NEXT: aten::nonzero: the result's size depends on data, which is not supported
        # CHECK-NEXT: report.py:[[@LINE+1]]: i = torch.nonzero(x)
        i = torch.nonzero(x)
        y = x[i[:, 0]]
        # CHECK-NEXT: aten::linalg_svdvals (2 times)
        # CHECK-NEXT: report.py:[[@LINE+3]]: d = torch.linalg.svdvals(x @ x.t())
        # CHECK-NEXT: report.py:[[@LINE+3]]: e = torch.linalg.svdvals(x @ x.t() * 2)
        # CHECK-NOT: aten::add
        d = torch.linalg.svdvals(x @ x.t())
        e = torch.linalg.svdvals(x @ x.t() * 2)
        f = d + e
        # CHECK-NEXT: a condition that depends on tensor data (prim::If)
        # CHECK-NEXT: report.py:[[@LINE+1]]: if x.sum() > 0:
        if x.sum() > 0:
            f = f + 1
        # CHECK-NEXT: aten::rand: random numbers are not supported
        return y, f, torch.rand(3)

    @torch.jit.export
    def raises(self, x, n: int):
        # RAISE: error: {{.*}}: the model raises RuntimeError for these inputs: n must be positive, not -1
        # RAISE-NEXT: report.py:[[@LINE+3]]: raise RuntimeError
        # RAISE-NEXT: with x = tensor<2x3xf32>, n = -1
        if n < 0:
            raise RuntimeError("n must be positive, not {}".format(n))
        # NOTE: note: a print is left out: {{.*}}report.py:[[@LINE+1]]
        print(n)
        # NOTE: func.func @raises
        return x * n

    @torch.jit.export
    def endless(self, x):
        # LOOP: error: {{.*}}: a loop runs more than 10000 times and can't be unrolled: {{.*}}report.py:[[@LINE+2]]
        n = 0
        while n < 20000:
            n += 1
        return x

    @torch.jit.export
    def forms(self, x):
        # FORMS: error: {{.*}}: the model's state takes more than 8 forms from run to run; they differ in attribute 'seen' (9 forms)
        self.seen = torch.cat([self.seen, torch.zeros(1)])
        return x

    @torch.jit.export
    def expanded(self, x):
        # EXPANDED: aten::add_.Scalar: writes to an expanded tensor
        # EXPANDED-NEXT: report.py:[[@LINE+1]]
        return x.expand(2, 3).add_(1)


torch.jit.script(M().eval()).save(sys.argv[1])
