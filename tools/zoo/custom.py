"""The zoo's models that people write themselves: graph network, normalising flow, audio and sequence convolutions, taggers, tables.

Each entry of MODELS is name -> function(batch) -> (module, tuple of example inputs).
"""
import torch
import torch.nn.functional as F
from torch import nn


class GraphNetwork(nn.Module):
    """Two rounds of message passing: gather by edge, sum by index_add, maximum by scatter_reduce."""

    def __init__(self, width=32):
        super().__init__()
        self.embed = nn.Linear(8, width)
        self.message = nn.ModuleList(nn.Linear(2 * width, width) for _ in range(2))
        self.update = nn.ModuleList(nn.Linear(3 * width, width) for _ in range(2))
        self.head = nn.Linear(width, 4)

    def forward(self, nodes, edges):
        x = F.relu(self.embed(nodes))
        source, target = edges[0], edges[1]
        for message, update in zip(self.message, self.update):
            sent = F.relu(message(torch.cat([x[source], x[target]], -1)))
            total = torch.zeros_like(x).index_add(0, target, sent)
            largest = torch.zeros_like(x).scatter_reduce(0, target[:, None].expand_as(sent), sent, "amax")
            x = x + update(torch.cat([x, total, largest], -1))
        return self.head(x)


class Coupling(nn.Module):
    def __init__(self, width, flip):
        super().__init__()
        self.flip = flip
        self.net = nn.Sequential(nn.Linear(width // 2, 64), nn.Tanh(), nn.Linear(64, width))

    def forward(self, x):
        a, b = x.chunk(2, -1)
        if self.flip:
            a, b = b, a
        scale, shift = self.net(a).chunk(2, -1)
        scale = torch.tanh(scale)
        b = b * scale.exp() + shift
        return torch.cat((b, a) if self.flip else (a, b), -1), scale.sum(-1)


class Flow(nn.Module):
    """RealNVP: the log density of a row."""

    def __init__(self, width=16, steps=4):
        super().__init__()
        self.steps = nn.ModuleList(Coupling(width, bool(i % 2)) for i in range(steps))

    def forward(self, x):
        total = torch.zeros(x.shape[0])
        for step in self.steps:
            x, change = step(x)
            total = total + change
        return torch.distributions.Normal(0.0, 1.0, validate_args=False).log_prob(x).sum(-1) + total


class WaveNet(nn.Module):
    """Dilated causal convolutions with gates and skip connections over one-hot samples."""

    def __init__(self, channels=32, layers=6):
        super().__init__()
        self.start = nn.Conv1d(64, channels, 1)
        self.gated = nn.ModuleList(nn.Conv1d(channels, 2 * channels, 2, dilation=2 ** i) for i in range(layers))
        self.residual = nn.ModuleList(nn.Conv1d(channels, channels, 1) for _ in range(layers))
        self.skip = nn.ModuleList(nn.Conv1d(channels, channels, 1) for _ in range(layers))
        self.end = nn.Sequential(nn.ReLU(), nn.Conv1d(channels, 64, 1))

    def forward(self, samples):
        x = self.start(F.one_hot(samples, 64).transpose(1, 2).to(self.start.weight.dtype))
        skips = 0
        for i, gated in enumerate(self.gated):
            a, b = gated(F.pad(x, (2 ** i, 0))).chunk(2, 1)
            y = torch.tanh(a) * torch.sigmoid(b)
            skips = skips + self.skip[i](y)
            x = x + self.residual[i](y)
        return F.log_softmax(self.end(skips), 1)


class TemporalBlock(nn.Module):
    def __init__(self, inputs, outputs, dilation):
        super().__init__()
        norm = nn.utils.parametrizations.weight_norm
        self.padding = 2 * dilation
        self.first = norm(nn.Conv1d(inputs, outputs, 3, padding=self.padding, dilation=dilation))
        self.second = norm(nn.Conv1d(outputs, outputs, 3, padding=self.padding, dilation=dilation))
        self.shortcut = nn.Conv1d(inputs, outputs, 1) if inputs != outputs else nn.Identity()

    def forward(self, x):
        y = F.relu(self.first(x)[..., :-self.padding])
        y = F.relu(self.second(y)[..., :-self.padding])
        return F.relu(y + self.shortcut(x))


class Tagger(nn.Module):
    """A bidirectional LSTM over embedded tokens, with the tags' argmax beside their scores."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(200, 32, padding_idx=0)
        self.lstm = nn.LSTM(32, 48, 2, batch_first=True, bidirectional=True)
        self.tags = nn.Linear(96, 9)

    def forward(self, tokens):
        scores = self.tags(self.lstm(self.embed(tokens))[0])
        return scores, scores.argmax(-1)


class Crnn(nn.Module):
    """Text lines: convolutions, then a bidirectional GRU over the columns."""

    def __init__(self):
        super().__init__()

        def block(inputs, outputs, pool):
            return nn.Sequential(nn.Conv2d(inputs, outputs, 3, padding=1), nn.BatchNorm2d(outputs), nn.ReLU(), nn.MaxPool2d(pool))
        self.features = nn.Sequential(block(1, 16, 2), block(16, 32, 2), block(32, 48, (2, 1)))
        self.gru = nn.GRU(48 * 4, 64, bidirectional=True)
        self.letters = nn.Linear(128, 40)

    def forward(self, x):
        y = self.features(x)
        y = y.flatten(1, 2).permute(2, 0, 1)
        return F.log_softmax(self.letters(self.gru(y)[0]), -1)


def sparsemax(x):
    ordered = x.sort(-1, descending=True).values
    count = torch.arange(1, x.shape[-1] + 1, dtype=x.dtype)
    total = ordered.cumsum(-1) - 1
    support = (count * ordered > total).sum(-1, keepdim=True)
    return (x - total.gather(-1, support - 1) / support).clamp(min=0)


class TabNet(nn.Module):
    """Three decision steps, each with a sparsemax mask over the columns."""

    def __init__(self, columns=16, width=16, steps=3):
        super().__init__()
        self.norm = nn.BatchNorm1d(columns)
        self.transform = nn.ModuleList(nn.Sequential(nn.Linear(columns, 4 * width), nn.BatchNorm1d(4 * width), nn.GLU()) for _ in range(steps))
        self.attend = nn.ModuleList(nn.Sequential(nn.Linear(width, columns), nn.BatchNorm1d(columns)) for _ in range(steps))
        self.width, self.head = width, nn.Linear(width, 3)

    def forward(self, x):
        x = self.norm(x)
        prior, attended, total = torch.ones_like(x), x[:, :self.width], 0
        for transform, attend in zip(self.transform, self.attend):
            mask = sparsemax(attend(attended) * prior)
            prior = prior * (1.3 - mask)
            y = transform(mask * x)
            total = total + F.relu(y[:, :self.width])
            attended = y[:, self.width:]
        return self.head(total)


def graph_network(batch):
    nodes = 20 * batch
    return GraphNetwork(), (torch.randn(nodes, 8), torch.randint(0, nodes, (2, 60 * batch)))


MODELS = {
    "graph_network": graph_network,
    "normalising_flow": lambda batch: (Flow(), (torch.randn(batch, 16),)),
    "wavenet": lambda batch: (WaveNet(), (torch.randint(0, 64, (batch, 200)),)),
    "tcn": lambda batch: (nn.Sequential(*(TemporalBlock(a, b, d) for a, b, d in ((4, 16, 1), (16, 16, 2), (16, 24, 4)))), (torch.randn(batch, 4, 64),)),
    "bilstm_tagger": lambda batch: (Tagger(), (torch.randint(0, 200, (batch, 20)),)),
    "crnn": lambda batch: (Crnn(), (torch.randn(batch, 1, 32, 100),)),
    "tabnet": lambda batch: (TabNet(), (torch.randn(batch, 16),)),
}
REAL_WEIGHTS = set()
