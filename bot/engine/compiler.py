"""Compiles kernels with numba, and caches the compiled code on disk.

Kernels are plain functions over arrays and numbers, compiled when they are first called. They release the interpreter
lock, so several threads compute at once. They check no bounds: their callers check everything first. No index counts
from the end of an array; numba's check for negative indexes took a fifth of the time of finding plays. Arrays of other
modules, and arrays of more dimensions, are compiled in numba's usual way.

Compiled code is kept on disk. Its folder is named by a digest of the kernels' sources and of the versions of numba and
Python: numba itself looks only at the file of a kernel, not at the files of the kernels that it calls.

No other module imports numba: two threads that import different parts of it at once find parts half made.
"""

from __future__ import annotations

import hashlib
import importlib
import inspect
import operator
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, TypeVar, cast

import numba
import numpy as np
from numba import types
from numba.core import cgutils, codegen, typing
from numba.core.caching import FunctionCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase
from numba.core.compiler_machinery import PassManager
from numba.core.funcdesc import FunctionDescriptor
from numba.core.registry import CPUDispatcher
from numba.core.typed_passes import (
    IRLegalization,
    NativeLowering,
    NoPythonBackend,
    NopythonTypeInference,
    PreLowerStripPhis,
)
from numba.core.untyped_passes import FixupArgs, IRProcessing, ReconstructSSA, TranslateByteCode
from numba.extending import intrinsic, lower_builtin


def _usual_items() -> Any:  # noqa: ANN401
    """Return how numba reads and writes items, which takes 4 MB; what is kept on disk needs none of it."""
    from numba.np import arrayobj  # noqa: PLC0415

    return cast(Any, arrayobj)


def _get_item(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ANN401 - numba's own interface
    if not _counts_from_the_start(context, signature):
        return _usual_items().getitem_arraynd_intp(context, builder, signature, args)
    array, pointer = item_of(context, builder, signature, args)
    return context.unpack_value(builder, array.dtype, pointer, align=None if array.aligned else 1)


def _set_item(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ANN401
    if not _counts_from_the_start(context, signature):
        return _usual_items().setitem_array(context, builder, signature, args)
    array, pointer = item_of(context, builder, signature, args)
    value = context.cast(builder, args[2], signature.args[2], array.dtype)
    return context.pack_value(builder, array.dtype, value, pointer, align=None if array.aligned else 1)


def _counts_from_the_start(context: Any, signature: Any) -> bool:  # noqa: ANN401
    """Return whether an item is one of the engine's, in an array of one dimension without gaps; others are compiled as usual."""
    return bool(
        signature.args[0].ndim == 1
        and signature.args[0].is_contig
        and context.fndesc.modname.startswith(f"{__package__}.")
    )


def item_of(context: Any, builder: Any, signature: Any, args: Any) -> tuple[Any, Any]:  # noqa: ANN401
    """Return the type of an array of one dimension and the pointer to an item."""
    array, index = signature.args[:2]
    place = context.cast(builder, args[1], index, types.intp)
    items = builder.extract_value(args[0], _DATA)
    return array, builder.gep(items, [place], inbounds=True)


_lowered = cast(Any, lower_builtin)
_lowered(operator.getitem, types.Array, types.Integer)(_get_item)
_lowered(operator.setitem, types.Array, types.Integer, types.Any)(_set_item)


Kernel = TypeVar("Kernel", bound=Callable[..., object])

_config = cast(Any, numba.config)
_llvm = cast(Any, cgutils)
_DATA = 4
"""The field of numba's arrays that points to the items."""
_OPTIONS: dict[str, Any] = {
    "nogil": True,
    "boundscheck": False,
    "error_model": "numpy",
    "no_cfunc_wrapper": True,
    "_nrt": False,  # kernels allocate no arrays, so references need no counting
}
_FOLDER = "kibitz-engine-"
_KEPT_FOLDERS = 4


def _digest() -> str:
    module = Path(__file__)
    digest = hashlib.sha256(f"{numba.__version__} {sys.implementation.cache_tag}".encode())
    for path in (module, *sorted((module.parent / "kernels").rglob("*.py"))):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


_NAME = _FOLDER + _digest()


def _choose_cache_folder() -> Path:
    """Choose where compiled code is kept.

    That is the environment's ``NUMBA_CACHE_DIR``, else beside the sources, else in the user's cache; where none of them
    can be written, a folder for this process alone.
    """
    cache_home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")  # noqa: PTH111 - no home: no error
    places = [
        os.environ.get("NUMBA_CACHE_DIR"),
        Path(__file__).parent / "__pycache__",
        Path(cache_home, "kibitz"),
    ]
    folders = [Path(place, _NAME) for place in places if place]
    chosen = next((folder for folder in folders if _is_writable(folder)), None)
    try:
        # Not a name that others could guess: what lies in this folder is run.
        chosen = chosen or Path(tempfile.mkdtemp(prefix=_FOLDER))
    except OSError:
        return Path(os.devnull)  # numba finds no place there, and compiles for this process alone
    _fill(chosen, folders)
    return chosen


def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"written")  # a full disk takes the file, but nothing in it
        _remove_old(folder)
    except OSError:
        return False
    return True


def _fill(chosen: Path, folders: list[Path]) -> None:
    """Begin an empty folder with what was compiled when the program was installed, where it cannot be written.

    numba keeps nothing in a folder that it cannot write, and does not read there either.
    """
    try:
        if any(chosen.iterdir()):
            return
        for folder in folders:
            if folder != chosen and folder.is_dir():
                copied = Path(tempfile.mkdtemp(prefix=".copy-", dir=chosen.parent))
                try:
                    shutil.copytree(folder, copied, dirs_exist_ok=True)
                    # All or nothing: half a file would be read as a broken one.
                    copied.replace(chosen)
                finally:
                    shutil.rmtree(copied, ignore_errors=True)
                return
    except (OSError, shutil.Error):
        return  # it is compiled again


def _remove_old(current: Path) -> None:
    """Remove what older sources left; a process that still runs them compiles again, nothing worse."""
    others = [folder for folder in current.parent.glob(f"{_FOLDER}*") if folder != current]
    others.sort(key=lambda folder: folder.stat().st_mtime, reverse=True)
    for folder in others[_KEPT_FOLDERS:]:
        shutil.rmtree(folder, ignore_errors=True)


# Before any kernel is defined, which is when numba reads it.
_config.CACHE_DIR = str(_choose_cache_folder())
# Loops over a few squares or tiles gain nothing from it, and it takes a tenth of the compiler's time.
_config.LOOP_VECTORIZE = 0


def cache_folder() -> Path | None:
    """Return the cache folder that other processes share; None without one."""
    folder = Path(_config.CACHE_DIR)
    return folder if folder.name == _NAME else None


class _ForgivingCache(cast(Any, FunctionCache)):  # type: ignore[misc]  # numba has no types
    """numba's store of compiled code, but a disk that is full, read only or broken costs time and nothing else."""

    def load_overload(self, signature: object, target: Any) -> object:  # noqa: ANN401 - numba's own interface
        """Return compiled code; None when there is none that can be read."""
        try:
            return self._load_overload(signature, target)
        except Exception:  # noqa: BLE001 - whatever is in the file: it can be compiled again
            with suppress(Exception):
                self.flush()
            return None

    def save_overload(self, *arguments: object) -> None:
        """Keep compiled code if that is possible."""
        with suppress(OSError, EOFError):
            super().save_overload(*arguments)


class _Typing:
    """numba's knowledge of types, which remembers what its functions and operators make of them."""

    def __init__(self, context: Any) -> None:  # noqa: ANN401 - numba's own
        self._context = context

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever numba has there
        return getattr(self._context, name)

    def resolve_function_type(self, function: Any, args: Any, keywords: Any) -> object:  # noqa: ANN401
        """Return the signature of a call."""
        if keywords or not isinstance(function, types.Function):
            return self._context.resolve_function_type(function, args, keywords)
        if getattr(function.typing_key, "__module__", None) == "_operator":  # the same for constants
            args = tuple(map(types.unliteral, args))
        known = _signatures.get((function, args))
        if known is None:
            known = _signatures[function, args] = self._context.resolve_function_type(
                function, args, keywords
            )
        return known


_signatures: dict[tuple[object, object], object] = {}


class _Call(NamedTuple):
    """A compiled kernel that other kernels call, for one combination of types; what numba links to them instead of its code.

    The callers have a symbol in its place, so they can be compiled before it, or at the same time in another process.
    """

    module: str
    name: str
    types: tuple[object, ...]

    @property
    def symbol(self) -> str:
        """The name that the callers' code uses, which is the same in every process."""
        return f"{self.module}.{self.name}{self.types}"

    def __call__(self) -> None:
        """Compile or load the kernel, and have the symbol lead to it; numba does so before it loads a caller."""
        address = 1
        if not ahead:
            kernel = cast(Any, getattr(importlib.import_module(self.module), self.name))
            kernel.compile(self.types)
            result = kernel.overloads[self.types]
            if result.signature.return_type != kernel.result():
                raise TypeError(f"{self.name} returns another type than its annotation says")
            code, description = operator.attrgetter("library", "fndesc")(result)
            address = code.get_pointer_to_function(description.llvm_func_name)
        cast(Any, codegen).ll.add_symbol(self.symbol, address)

    def _ensure_finalized(self) -> None:
        """Nothing is left to do, unlike with the libraries that numba links."""


ahead: list[bool] = []
"""Not empty in a process that compiles for other processes. The kernels that a kernel calls are not compiled with it
there, so only a kernel that calls no other can be run."""


def _link(library: Any) -> None:  # noqa: ANN401 - numba's own
    """Link the inner kernels that a kernel calls, and list the compiled kernels that any of them calls."""
    for callee in dict.fromkeys(library._linking_libraries):  # noqa: SLF001
        if isinstance(callee, _Call):
            library._reload_init.add(callee)  # noqa: SLF001
        else:
            library._reload_init.update(callee._reload_init)  # noqa: SLF001
            library._final_module.link_in(callee._get_module_for_linking(), preserve=True)  # noqa: SLF001
    library._linking_libraries = []  # noqa: SLF001


class _KernelLibrary(cast(Any, JITCodeLibrary)):  # type: ignore[misc]  # numba has no types
    """The code of a kernel that Python calls, with that of the inner kernels it calls.

    No other code calls them there. So a kernel that is called in one place becomes a part of the caller, and
    of an array, which is passed as seven words, only those words are passed that are used.
    """

    def finalize(self) -> None:
        """Link what the kernel calls, and optimize it."""
        outside = {function.name for function in self.get_defined_functions()}
        _link(self)
        for call in self._reload_init:
            call()
        for function in self.get_defined_functions():
            if function.name not in outside:
                function.linkage = "internal"
        super().finalize()


class _KernelCompiler(cast(Any, CompilerBase)):  # type: ignore[misc]  # numba has no types
    """numba's compiler without its steps for closures, generators, exceptions and whole arrays, which no kernel has."""

    _STEPS = (
        TranslateByteCode,
        FixupArgs,
        IRProcessing,
        ReconstructSSA,
        NopythonTypeInference,
        PreLowerStripPhis,
        IRLegalization,
        NativeLowering,
        NoPythonBackend,
    )

    def __init__(self, typing: Any, target: Any, library: Any, *others: Any) -> None:  # noqa: ANN401 - numba's own interface
        if library is None:
            library = _KernelLibrary(target.codegen(), "kernel")
            library.enable_object_caching()
        super().__init__(typing, target, library, *others)
        self.state.typingctx = _Typing(typing)
        if ahead:
            print(flush=True)  # a line for each function, by which the other process measures the progress

    def define_pipelines(self) -> list[Any]:
        """Return the steps."""
        steps = cast(Any, PassManager)("kernel")
        for step in self._STEPS:
            steps.add_pass(step, step.__name__)
        steps.finalize()
        return [steps]


class _CompiledKernel(cast(Any, CPUDispatcher)):  # type: ignore[misc]  # numba has no types
    """A kernel that Python calls, and other kernels too: these do not compile it again as a part of them."""

    _typing: ClassVar = cast(Any, typing)
    _RESULTS: ClassVar = {"None": types.none, "bool": types.boolean, "int": types.int64}

    def result(self) -> object:
        """Return the type of what it returns."""
        return self._RESULTS[self.py_func.__annotations__["return"]]

    def get_call_template(self, args: Any, _keywords: Any) -> Any:  # noqa: ANN401 - numba's own interface
        """Return how another kernel calls this one, which need not be compiled for that."""
        args = tuple(map(types.unliteral, args))
        kernel = self.py_func
        result = self.result()
        call = self.get_overload(args)
        descriptor = cast(Any, FunctionDescriptor)(
            native=True,
            modname=kernel.__module__,
            qualname=kernel.__name__,
            unique_name=kernel.__name__,
            doc=None,
            typemap={},
            restype=result,
            calltypes={},
            args=inspect.getfullargspec(kernel).args,
            kws=(),
            mangler=lambda *_, **__: call.symbol,
            argtypes=args,
        )
        self.targetctx.insert_user_function(call, descriptor, [call])
        signatures = [self._typing.signature(result, *args)]
        return self._typing.make_concrete_template(kernel.__name__, call, signatures), None, args, {}

    def get_overload(self, args: Any) -> Any:  # noqa: ANN401 - numba's own interface
        """Return what stands for this kernel in others."""
        return _Call(self.py_func.__module__, self.py_func.__name__, args)


def compiled(kernel: Kernel) -> Kernel:
    """Compile a function with numba: without the interpreter's lock, kept on disk after the first time where it can be.

    For what Python calls, and for what is large and a part of several of those: :func:`inner` is for the rest. It can
    make no arrays. If other kernels call it, its annotation states its result: nothing, or a number.
    """
    made = _dispatcher(_CompiledKernel, kernel, _KernelCompiler, _OPTIONS)
    with suppress(RuntimeError):  # no place for it
        made._cache = cast(Any, _ForgivingCache)(kernel)  # noqa: SLF001 - what numba's own option does
    return cast(Kernel, made)


def _dispatcher(kind: Any, kernel: Kernel, compiler: Any, options: dict[str, Any]) -> Any:  # noqa: ANN401
    return kind(kernel, targetoptions={"nopython": True, **options}, pipeline_class=compiler)


class _InnerLibrary(cast(Any, JITCodeLibrary)):  # type: ignore[misc]  # numba has no types
    """The code of a kernel that only kernels call, which becomes machine code as a part of its callers alone."""

    def finalize(self) -> None:
        """Link the kernels it calls; its callers optimize it."""
        _link(self)
        self._finalized = True


class _InnerCompiler(_KernelCompiler):
    """numba's compiler without its last step."""

    def __init__(self, typing: Any, target: Any, _library: None, *others: Any) -> None:  # noqa: ANN401
        super().__init__(typing, target, _InnerLibrary(target.codegen(), "inner"), *others)
        flags = self.state.flags
        flags.no_compile = flags.no_cpython_wrapper = True


class _InnerKernel(cast(Any, CPUDispatcher)):  # type: ignore[misc]  # numba has no types
    """A kernel that only kernels call."""

    def add_overload(self, result: Any) -> None:  # noqa: ANN401 - numba's own interface
        """Note what was compiled for kernels that call it."""
        result = result._replace(entry_point=object())
        self.targetctx.insert_user_function(result.entry_point, result.fndesc, [result.library])
        self.overloads[tuple(result.signature.args)] = result

    def _compile_for_args(self, *_arguments: object, **_keywords: object) -> object:
        """Return what runs when Python calls it."""
        return self.py_func


def inner(kernel: Kernel) -> Kernel:
    """Compile a function with numba as a part of the kernels that call it, which is much cheaper than for itself.

    It is kept on disk as a part of them, and can make no arrays. Python can call it, but then nothing is compiled.
    """
    return cast(Kernel, _dispatcher(_InnerKernel, kernel, _InnerCompiler, _OPTIONS))


def inlined(kernel: Kernel) -> Kernel:
    """Compile a function as :func:`inner` does, one so small that a call would take longer than its work."""
    options = {**_OPTIONS, "forceinline": True}
    return cast(Kernel, _dispatcher(_InnerKernel, kernel, _InnerCompiler, options))


@intrinsic
def _count_ones(_context: Any, mask: Any) -> Any:  # noqa: ANN401 - numba's own interface
    def generate(_target: Any, builder: Any, _signature: Any, args: Any) -> Any:  # noqa: ANN401
        return builder.ctpop(args[0])

    return types.int64(mask), generate


bit_count = cast("Callable[[int], int]", _count_ones)
"""Returns how many bits of a 64-bit number are set."""

wide = cast("Callable[[object], int]", np.int64)
"""Makes a number of an array one of 64 bits, since the types of both sides decide how numba computes."""


@intrinsic
def _prefetch(_context: Any, array: Any, index: Any) -> Any:  # noqa: ANN401 - numba's own interface
    def generate(target: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ANN401
        _, item = item_of(target, builder, signature, args)
        address = builder.bitcast(item, _llvm.voidptr_t)
        to_read, soon_again, data = (_llvm.int32_t(number) for number in (0, 3, 1))
        args = [address, to_read, soon_again, data]
        kind = _llvm.ir.FunctionType(_llvm.ir.VoidType(), [arg.type for arg in args])
        builder.call(builder.module.declare_intrinsic("llvm.prefetch", [address.type], kind), args)
        return target.get_dummy_value()

    return types.none(array, index), generate


prefetch = cast("Callable[[object, int], None]", _prefetch)
"""Has the processor get an item of an array from the memory, without waiting for it."""


@inlined
def lowest_bit(mask: int) -> int:
    """Return the place of the lowest bit that is set; the mask must not be 0."""
    return bit_count(~mask & (mask - 1))
