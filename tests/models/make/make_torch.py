"""PyTorch: state_dict, whole modules, legacy files, TorchScript, Lightning checkpoints, safetensors.
Run with torch 2.9.1+cu128, lightning 2.6.6, safetensors 0.8.0, numpy 2.4, Python 3.11.

The witness: the module runs on fake CUDA tensors (no GPU): PyTorch's own dispatch either enters lstm_cudnn, gru_cudnn, rnn_tanh_cudnn or
rnn_relu_cudnn, where it then fails for want of a driver and the C++ stack of the error names that function, or it calls other operators.
"""

import json
import os
import warnings
import zipfile

os.environ["TORCH_SHOW_CPP_STACKTRACES"] = "1"
warnings.simplefilter("ignore")
import lightning
import numpy
import safetensors.torch
import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode

import corpus

out = corpus.Corpus("torch")
VERSION = torch.__version__.split("+")[0]
WITNESS = f"torch {VERSION} (CUDA build), fake CUDA tensors: the C++ stack names the cuDNN entry, or other operators run"
I, H = 3, 4
RECURRENT = (nn.RNNBase, nn.RNNCellBase)


class Operators(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.names = set()

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        self.names.add(str(function))
        return function(*args, **(kwargs or {}))


def decide(module):
    """yes or no as PyTorch's dispatch decides for this module on a CUDA device, and what it was seen to enter."""
    with FakeTensorMode():

        def cuda(tensor):
            return torch.empty(tensor.shape, dtype=tensor.dtype, device="cuda")

        base = isinstance(module, nn.RNNBase)
        dtype = next(module.parameters()).dtype
        with Operators() as seen:
            try:
                if base:
                    flat = [cuda(w) for w in module._flat_weights]
                    states = module.num_layers * (2 if module.bidirectional else 1)
                    width = module.proj_size or module.hidden_size
                    x = torch.empty(5, 2, module.input_size, dtype=dtype, device="cuda")
                    h = torch.empty(states, 2, width, dtype=dtype, device="cuda")
                    rest = (
                        flat,
                        module.bias,
                        module.num_layers,
                        0.0,
                        False,
                        module.bidirectional,
                        module.batch_first,
                    )
                    if isinstance(module, nn.LSTM):
                        torch._VF.lstm(
                            x,
                            (
                                h,
                                torch.empty(
                                    states, 2, module.hidden_size, dtype=dtype, device="cuda"
                                ),
                            ),
                            *rest,
                        )
                    else:
                        call = {
                            "GRU": torch._VF.gru,
                            "RNN_TANH": torch._VF.rnn_tanh,
                            "RNN_RELU": torch._VF.rnn_relu,
                        }[module.mode]
                        call(x, h, *rest)
                else:
                    x = torch.empty(2, module.input_size, dtype=dtype, device="cuda")
                    h = torch.empty(2, module.hidden_size, dtype=dtype, device="cuda")
                    weights = [
                        cuda(module.weight_ih),
                        cuda(module.weight_hh),
                        cuda(module.bias_ih),
                        cuda(module.bias_hh),
                    ]
                    if isinstance(module, nn.LSTMCell):
                        torch._VF.lstm_cell(x, (h, h), *weights)
                    else:
                        (
                            torch._VF.gru_cell
                            if isinstance(module, nn.GRUCell)
                            else torch._VF.rnn_tanh_cell
                        )(x, h, *weights)
            except Exception as error:
                text = str(error)
                entered = [
                    name
                    for name in ("lstm_cudnn", "gru_cudnn", "rnn_tanh_cudnn", "rnn_relu_cudnn")
                    if name in text
                ]
                if entered:
                    return "yes", entered[0]
                if "driver" not in text:
                    raise
        return "no", "generic operators"


def kind_of(module, nonlinearity=True):
    if isinstance(module, nn.LSTM):
        return "lstm"
    if isinstance(module, nn.GRU):
        return "gru"
    if isinstance(module, nn.RNN):
        return f"rnn_{module.nonlinearity}" if nonlinearity else "rnn"
    return {nn.LSTMCell: "lstm_cell", nn.GRUCell: "gru_cell", nn.RNNCell: "rnn_cell"}[type(module)]


def describe(model, why, nonlinearity):
    rows = []
    for name, module in model.named_modules():
        if not isinstance(module, RECURRENT):
            continue
        cudnn, entered = decide(module)
        rows.append(
            {
                "name": name,
                "kind": kind_of(module, nonlinearity),
                "input": module.input_size,
                "hidden": module.hidden_size,
                "layers": getattr(module, "num_layers", 1),
                "directions": 2 if getattr(module, "bidirectional", False) else 1,
                "dtype": str(next(module.parameters()).dtype).split(".")[1],
                "cudnn": cudnn,
                "entered": entered,
                **({"proj": module.proj_size} if getattr(module, "proj_size", 0) else {}),
                "why": why,
            }
        )
    return rows


class Net(nn.Module):
    """A recurrent layer between others, as in user code."""

    def __init__(self, core, name="lstm", width=H):
        super().__init__()
        self.embed = nn.Linear(2, I)
        setattr(self, name, core)
        self.head = nn.Linear(width, 1)

    def forward(self, x):
        return self.head(
            [m for n, m in self.named_children() if n not in ("embed", "head")][0](self.embed(x))[0]
        )


seed = 0


def weigh(model):
    global seed
    seed += 1
    with torch.no_grad():
        for parameter, value in zip(
            model.parameters(), corpus.fill([tuple(p.shape) for p in model.parameters()], seed)
        ):
            parameter.copy_(torch.from_numpy(numpy.asarray(value)))
    return model


def save(name, model, why, expect=None, nonlinearity=False, format="torch_zip", write=None, **more):
    weigh(model)
    rows = describe(model, why, nonlinearity)
    if expect:
        assert {row["cudnn"] for row in rows} == {expect}, (name, rows)
    for row in rows:  # fake tensors cannot answer for it: it asks the GPU and cuDNN
        if row["dtype"] == "bfloat16" and row["entered"] == "generic operators":
            row.update(cudnn="depends", decided="no")
    (write or (lambda m, p: torch.save(m.state_dict(), p)))(model, out.path(name))
    if format == "torch_zip":
        assert zipfile.is_zipfile(out.path(name))
    out.add(name, format, "pytorch", None, rows, WITNESS, **more)
    return model


def numbers(case, file, module, layer, kind, directions, x_seed, **more):
    """The same weights in fp64 on the CPU; the recurrent layer alone."""
    twin = type(module)(
        module.input_size,
        module.hidden_size,
        module.num_layers,
        bidirectional=module.bidirectional,
        bias=module.bias,
        batch_first=True,
        **({"proj_size": module.proj_size} if module.proj_size else {}),
        dtype=torch.float64,
    )
    twin.load_state_dict({k: v.double() for k, v in module.state_dict().items()})
    x = corpus.sequence(module.input_size, x_seed)
    y = twin(torch.from_numpy(x))[0].detach().numpy()
    out.numbers(
        case,
        file,
        layer,
        kind,
        directions,
        x,
        y,
        layers=module.num_layers,
        written_by=f"torch {VERSION} on the CPU in float64",
        **more,
    )


LSTM, GRU, RNN = nn.LSTM, nn.GRU, nn.RNN
ALL = "PyTorch takes cuDNN for nn.LSTM, nn.GRU and nn.RNN on CUDA"
m = save("lstm.pt", Net(LSTM(I, H)), ALL, "yes")
numbers("lstm", "lstm.pt", m.lstm, "lstm", "lstm", 1, 1)
m = save("gru.pt", Net(GRU(I, H), "gru"), ALL, "yes")
numbers("gru", "gru.pt", m.gru, "gru", "gru", 1, 2)
m = save("bidirectional_lstm.pt", Net(LSTM(I, H, 2, bidirectional=True), width=2 * H), ALL, "yes")
numbers("bidirectional_lstm", "bidirectional_lstm.pt", m.lstm, "lstm", "lstm", 2, 3)
m = save("bidirectional_gru.pt", Net(GRU(I, H, bidirectional=True), "gru", 2 * H), ALL, "yes")
numbers("bidirectional_gru", "bidirectional_gru.pt", m.gru, "gru", "gru", 2, 4)
m = save("rnn_tanh.pt", Net(RNN(I, H), "rnn"), ALL + "; the nonlinearity is not in the file", "yes")
numbers("rnn_tanh", "rnn_tanh.pt", m.rnn, "rnn", "rnn_tanh", 1, 5)
save(
    "rnn_relu.pt",
    Net(RNN(I, H, nonlinearity="relu"), "rnn"),
    ALL + "; the nonlinearity is not in the file",
    "yes",
)
m = save(
    "lstm_projection.pt",
    Net(LSTM(I, H, proj_size=2), width=2),
    "proj_size: cuDNN has projections for LSTM",
    "yes",
)
numbers("lstm_projection", "lstm_projection.pt", m.lstm, "lstm", "lstm", 1, 6, proj=2)
save(
    "lstm_projection_bidirectional.pt",
    Net(LSTM(I, H, 2, proj_size=2, bidirectional=True), width=4),
    "proj_size: cuDNN has projections for LSTM",
    "yes",
)
m = save(
    "lstm_no_bias.pt", Net(LSTM(I, H, bias=False)), "bias=False: cuDNN runs without bias", "yes"
)
save("gru_three_layers.pt", Net(GRU(I, H, 3), "gru"), ALL, "yes")
save("lstm_float64.pt", Net(LSTM(I, H)).double(), ALL, "yes")
save("lstm_float16.pt", Net(LSTM(I, H)).half(), ALL, "yes")
save(
    "lstm_bfloat16.pt",
    Net(LSTM(I, H)).bfloat16(),
    "bfloat16: from pull request 164411 on (after 2.9), with cuDNN 9.13 and a GPU that has it; not in 2.9",
    "no",
)
save(
    "lstm_batch_first_dropout.pt",
    Net(LSTM(I, H, 2, batch_first=True, dropout=0.5)),
    "batch_first and dropout are not in a state_dict and do not matter",
    "yes",
)


class Cells(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = nn.LSTMCell(I, H), nn.GRUCell(H, H), nn.RNNCell(H, 2)


class Stack(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.ModuleDict(
            {"text": LSTM(I, H, 2, bidirectional=True), "audio": GRU(5, 6)}
        )
        self.decoder = nn.ModuleList([nn.LSTMCell(I, H), RNN(I, H)])


save("cells.pt", Cells(), "a cell is called once per time step, never through cuDNN", "no")
save("several.pt", Stack(), "modules in modules; the cell is not cuDNN's")
save("no_recurrent_layer.pt", nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Conv1d(1, 2, 3)), "none")
save(
    "lookalike.pt",
    nn.ModuleDict({"attention": nn.MultiheadAttention(4, 2), "weight_ih": nn.Linear(3, 4)}),
    "none: names that resemble a recurrent layer's",
)


# Containers of the same tensors.
def neutral(path):
    """Machine paths out of a committed file: names of equal length in a pickle, and no .debug_pkl (source positions) in a TorchScript archive."""
    if not zipfile.is_zipfile(path):
        data = path.read_bytes()
        for machine in (
            os.path.dirname(os.path.abspath(__file__)),
            os.path.dirname(os.path.dirname(torch.__file__)),
        ):
            data = data.replace(
                machine.encode(), ("/home/user" + "/project" * 20)[: len(machine)].encode()
            )
        path.write_bytes(data)
        return
    with zipfile.ZipFile(path) as old:
        members = [
            (info.filename, old.read(info))
            for info in old.infolist()
            if not info.filename.endswith(".debug_pkl")
        ]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as new:
        for name, data in members:
            new.writestr(zipfile.ZipInfo(name), data)


def legacy(model, path):
    torch.save(model.state_dict(), path, _use_new_zipfile_serialization=False)


def one_buffer(model, path):
    """As saved on a GPU after flatten_parameters(): all weights are views of one storage."""
    weights = list(model.lstm._parameters.items())
    buffer = torch.cat([w.detach().flatten() for _, w in weights])
    state, at = model.state_dict(), 0
    for name, w in weights:
        state["lstm." + name] = buffer[at : at + w.numel()].view(w.shape)
        at += w.numel()
    torch.save(state, path)


def transposed(model, path):
    state = model.state_dict()
    state["lstm.weight_ih_l0"] = state["lstm.weight_ih_l0"].t().contiguous().t()
    torch.save(state, path)


m = save("lstm_legacy.pt", Net(LSTM(I, H)), ALL, "yes", format="torch_legacy", write=legacy)
numbers("lstm_legacy", "lstm_legacy.pt", m.lstm, "lstm", "lstm", 1, 7)
save(
    "module.pt",
    Net(LSTM(I, H, batch_first=True, dropout=0.1, num_layers=2)),
    ALL,
    "yes",
    nonlinearity=True,
    write=lambda m, p: torch.save(m, p),
)
save(
    "module_rnn_relu.pt",
    Net(RNN(I, H, nonlinearity="relu"), "rnn"),
    ALL,
    "yes",
    nonlinearity=True,
    write=lambda m, p: torch.save(m, p),
)
save(
    "module_legacy.pt",
    Net(GRU(I, H), "gru"),
    ALL,
    "yes",
    nonlinearity=True,
    format="torch_legacy",
    write=lambda m, p: (torch.save(m, p, _use_new_zipfile_serialization=False), neutral(p)),
)
m = save(
    "one_buffer.pt",
    Net(LSTM(I, H)),
    ALL + "; all weights are views of one storage, as flatten_parameters() leaves them",
    "yes",
    write=one_buffer,
)
numbers("one_buffer", "one_buffer.pt", m.lstm, "lstm", "lstm", 1, 8)
m = save(
    "transposed.pt",
    Net(LSTM(I, H)),
    ALL + "; a weight that is not contiguous is copied",
    "yes",
    write=transposed,
)
numbers("transposed", "transposed.pt", m.lstm, "lstm", "lstm", 1, 9)
m = save(
    "checkpoint.pt",
    Net(LSTM(I, H)),
    ALL,
    "yes",
    write=lambda m, p: torch.save(
        {
            "epoch": 3,
            "model_state_dict": m.state_dict(),
            "optimizer_state_dict": torch.optim.Adam(m.parameters()).state_dict(),
            "loss": 0.5,
        },
        p,
    ),
)
save("data_parallel.pt", nn.ModuleDict({"module": Net(LSTM(I, H))}), ALL, "yes")
save("compiled.pt", nn.ModuleDict({"_orig_mod": Net(GRU(I, H), "gru")}), ALL, "yes")


# TorchScript archives hold the operators, so the call's own arguments.
class Scripted(nn.Module):
    def __init__(self, core):
        super().__init__()
        self.rnn = core

    def forward(self, x):
        return self.rnn(x)[0]


def script(model, path):
    torch.jit.save(torch.jit.script(model), path)
    neutral(path)


def trace(model, path):
    torch.jit.save(torch.jit.trace(model, torch.zeros(2, 5, I)), path)
    neutral(path)


save(
    "script_lstm.pt",
    Scripted(LSTM(I, H, batch_first=True)),
    "aten::lstm",
    "yes",
    nonlinearity=True,
    format="torchscript",
    write=script,
)
save(
    "script_rnn_relu.pt",
    Scripted(RNN(I, H, nonlinearity="relu")),
    "aten::rnn_relu",
    "yes",
    nonlinearity=True,
    format="torchscript",
    write=script,
)
save(
    "trace_gru.pt",
    Scripted(GRU(I, H, 2, bidirectional=True)),
    "aten::gru",
    "yes",
    nonlinearity=True,
    format="torchscript",
    write=trace,
)
out_rows = describe(
    weigh(Scripted(LSTM(I, H))), "quantised dynamic LSTM runs on the CPU alone", True
)
quantised = torch.ao.quantization.quantize_dynamic(
    Scripted(LSTM(I, H)), {nn.LSTM}, dtype=torch.qint8
)
for row in out_rows:
    row.update(cudnn="no", dtype="qint8", entered="quantized::lstm has CPU kernels alone")
torch.save(quantised.state_dict(), out.path("quantised.pt"))
out.add(
    "quantised.pt",
    "torch_zip",
    "pytorch",
    None,
    out_rows,
    "source: aten/src/ATen/native/RNN.cpp registers quantized_lstm for CPU",
)
script(quantised, out.path("script_quantised.pt"))
out.add(
    "script_quantised.pt",
    "torchscript",
    "pytorch",
    None,
    out_rows,
    "source: aten/src/ATen/native/RNN.cpp registers quantized_lstm for CPU",
)


# Lightning.
class Lit(lightning.LightningModule):
    def __init__(self, hidden=H, bidirectional=False):
        super().__init__()
        self.save_hyperparameters()
        self.model = Net(LSTM(I, hidden, batch_first=True))

    def training_step(self, batch, _):
        return self.model(batch).mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)


def lit(model, path):
    trainer = lightning.Trainer(
        max_epochs=1,
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        accelerator="cpu",
        barebones=False,
    )
    trainer.fit(model, torch.utils.data.DataLoader(torch.zeros(2, 5, 2), batch_size=2))
    trainer.save_checkpoint(path)


save(
    "lightning.ckpt",
    Lit(),
    ALL + "; hyper_parameters are the user's own names",
    "yes",
    format="torch_zip",
    write=lit,
    lightning=lightning.__version__,
)


# safetensors.
m = save(
    "lstm.safetensors",
    Net(LSTM(I, H)),
    ALL,
    "yes",
    format="safetensors",
    write=lambda m, p: safetensors.torch.save_file(m.state_dict(), p, {"format": "pt"}),
)
numbers("safetensors", "lstm.safetensors", m.lstm, "lstm", "lstm", 1, 10)
save(
    "gru_bfloat16.safetensors",
    Net(GRU(I, H), "gru").bfloat16(),
    "bfloat16: from pull request 164411 on (after 2.9), with cuDNN 9.13 and a GPU that has it; not in 2.9",
    "no",
    format="safetensors",
    write=lambda m, p: safetensors.torch.save_file(m.state_dict(), p),
)


def sharded(model, path):
    """As save_pretrained() of Hugging Face libraries writes it: an index and the files that it names; one layer's weights lie in both."""
    names = list(model.state_dict())
    state, index = model.state_dict(), {}
    path.parent.mkdir(exist_ok=True)
    for part, mine in enumerate((names[: len(names) // 2], names[len(names) // 2 :]), 1):
        file = f"model-0000{part}-of-00002.safetensors"
        safetensors.torch.save_file(
            {n: state[n] for n in mine}, path.parent / file, {"format": "pt"}
        )
        index.update({n: file for n in mine})
    path.write_text(
        json.dumps(
            {
                "metadata": {"total_size": sum(t.numel() * 4 for t in state.values())},
                "weight_map": index,
            },
            indent=2,
        )
    )


m = save(
    "sharded/model.safetensors.index.json",
    Net(LSTM(I, H, 2)),
    ALL,
    "yes",
    format="safetensors",
    write=sharded,
)
numbers("sharded", "sharded/model.safetensors.index.json", m.lstm, "lstm", "lstm", 1, 11)
out.close()
