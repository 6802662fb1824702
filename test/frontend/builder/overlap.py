# RUN: env PYTHONPATH=%S/Inputs %python %s
# REQUIRES: torch, python-torch
"""In-place writes beside reads of the same memory: disjoint views against eager; where the order of a loop would decide, a refusal with the line."""
import torch
from eager import check, finish, program, refuse

x = torch.randn(3, 4)
check("disjoint views of one tensor as operands of an in-place op", program("""
def forward(self, x):
    a = x.clone()
    a[:, 0].add_(a[:, 1])
    a[:1].mul_(a[2:])
    a[0] = a[2]
    a[1:, ::2] += a[1:, 1::2]
    return a
"""), x)
check("disjoint views of symbolic sizes as operands of an in-place op", program("""
def forward(self, x):
    a = x.clone()
    a[:, 0].add_(a[:, 1])
    a[0] = a[1]
    return a
"""), torch.randn(6, 4), specs=["n:2..,4"], kinds=("pt",), more=[(torch.randn(7, 4),), (torch.randn(2, 4),)])
overlap = "where the order decides"
refuse("a row copied onto the next", program("""
def forward(self, x):
    a = x.clone()
    a[1:].copy_(a[:-1])
    return a
"""), x, saying=overlap, kinds=("pt",))
refuse("a row copied onto the next, any number of rows", program("""
def forward(self, x):
    a = x.clone()
    a[1:] += a[:-1]
    return a
"""), x, saying=overlap, kinds=("pt",), specs=["n:3..,4"])
refuse("a tensor less its first row", program("""
def forward(self, x):
    a = x.clone()
    a -= a[0]
    return a
"""), x, saying=overlap, kinds=("pt",))
refuse("a sliding window written", program("""
def forward(self, x):
    a = x.clone()
    w = a.unfold(1, 3, 1)
    w.add_(1)
    return a
"""), x, saying="writes to a view whose elements overlap in memory", kinds=("pt",))
refuse("as_strided with overlap written", program("""
def forward(self, x):
    a = x.clone()
    a.as_strided((5, 4), (2, 1)).mul_(2)
    return a
"""), x, saying="writes to a view whose elements overlap in memory", kinds=("pt",))
finish()
