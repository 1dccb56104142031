"""Compiles kernels with numba, and caches the compiled code on disk.

Kernels are functions of arrays and numbers. They are compiled on their first call, and run without the interpreter lock. They
do not check array bounds, so their callers must.

Kernels must not use negative indexes into one-dimensional arrays. Without numba's handling of such indexes, finding plays takes
a fifth less time.

No other module may import numba, because two threads that import different parts of numba at the same time can find
half-initialized modules.
"""

from __future__ import annotations

import importlib
import inspect
import operator
from collections.abc import Callable
from contextlib import suppress
from typing import Any, ClassVar, NamedTuple, TypeVar, cast

import numba
import numpy as np
from numba import types
from numba.core import cgutils, codegen, entrypoints, typing
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
from numba.extending import intrinsic, lower_builtin, typeof_impl
from numba.np.numpy_support import from_dtype, map_layout

from bot.engine.kernel_cache import CACHE_FOLDER


def _numba_arrays() -> Any:
    from numba.np import arrayobj  # noqa: PLC0415 - takes 4 MB, and code from the cache does not need it

    return cast(Any, arrayobj)


def _get_item(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    if not _has_unchecked_items(context, signature):
        return _numba_arrays().getitem_arraynd_intp(context, builder, signature, args)
    array, pointer = _find_item(context, builder, signature, args)
    return context.unpack_value(builder, array.dtype, pointer, align=None if array.aligned else 1)


def _set_item(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    if not _has_unchecked_items(context, signature):
        return _numba_arrays().setitem_array(context, builder, signature, args)
    array, pointer = _find_item(context, builder, signature, args)
    value = context.cast(builder, args[2], signature.args[2], array.dtype)
    return context.pack_value(builder, array.dtype, value, pointer, align=None if array.aligned else 1)


def _has_unchecked_items(context: Any, signature: Any) -> bool:
    return bool(
        signature.args[0].ndim == 1
        and signature.args[0].is_contig
        and context.fndesc.modname.startswith(f"{__package__}.")
    )


def _find_item(context: Any, builder: Any, signature: Any, args: Any) -> tuple[Any, Any]:
    array_type, index_type = signature.args[:2]
    index = context.cast(builder, args[1], index_type, types.intp)
    items = builder.extract_value(args[0], _DATA_INDEX)
    return array_type, builder.gep(items, [index], inbounds=True)


_lower_builtin = cast(Any, lower_builtin)
_lower_builtin(operator.getitem, types.Array, types.Integer)(_get_item)
_lower_builtin(operator.setitem, types.Array, types.Integer, types.Any)(_set_item)


@typeof_impl.register(np.ndarray)
def _typeof_array(array: Any, _context: object) -> object:
    """Replace numba's own function, which also imports numpy's masked arrays."""
    return types.Array(
        from_dtype(array.dtype), array.ndim, map_layout(array), readonly=not array.flags.writeable
    )


Kernel = TypeVar("Kernel", bound=Callable[..., object])

_config = cast(Any, numba.config)
_llvm = cast(Any, cgutils)
_DATA_INDEX = 4
"""Index of the pointer to the items in numba's array structure."""
_OPTIONS: dict[str, Any] = {
    "nogil": True,
    "boundscheck": False,
    "error_model": "numpy",
    "no_cfunc_wrapper": True,
    "_nrt": False,  # kernels do not allocate arrays, so references need not be counted
}

# Skip the search of all installed packages for extensions of numba, which takes 2% of a short command's time.
cast(Any, entrypoints)._already_initialized = True
# numba reads this when a kernel is defined.
_config.CACHE_DIR = str(CACHE_FOLDER)
# Vectorization takes a tenth of the compile time, and does not speed up loops over a few squares or tiles.
_config.LOOP_VECTORIZE = 0


class _ForgivingCache(cast(Any, FunctionCache)):  # type: ignore[misc]  # numba has no types
    """numba's cache of compiled code. If code cannot be loaded, it is compiled again."""

    def load_overload(self, signature: object, target: Any) -> object:
        try:
            return self._load_overload(signature, target)
        except Exception:  # noqa: BLE001 - after any error, the code can be compiled again
            with suppress(Exception):
                self.flush()
            return None

    def save_overload(self, *arguments: object) -> None:
        with suppress(OSError, EOFError):
            super().save_overload(*arguments)


class _Typing:
    """numba's typing context, with a cache of resolved signatures."""

    def __init__(self, context: Any) -> None:
        self._context = context

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    def resolve_function_type(self, function: Any, args: Any, keywords: Any) -> object:
        if keywords or not isinstance(function, types.Function):
            return self._context.resolve_function_type(function, args, keywords)
        if getattr(function.typing_key, "__module__", None) == "_operator":
            args = tuple(map(types.unliteral, args))  # an operator's signature is the same for constants
        signature = _signatures.get((function, args))
        if signature is None:
            signature = _signatures[function, args] = self._context.resolve_function_type(
                function, args, keywords
            )
        return signature


_signatures: dict[tuple[object, object], object] = {}


class _KernelReference(NamedTuple):
    """A reference to a compiled kernel, for one combination of argument types.

    A calling kernel contains only the symbol, so kernels can be compiled in any order and in different processes.
    """

    module: str
    name: str
    types: tuple[object, ...]

    @property
    def symbol(self) -> str:
        """The kernel's symbol, which is the same in every process."""
        return f"{self.module}.{self.name}{self.types}"

    def __call__(self) -> None:
        """Bind the symbol to the kernel, before a calling kernel is linked or loaded.

        A process that only compiles kernels binds the symbol to a dummy address.
        """
        address = 1
        if not compile_only:
            kernel = cast(Any, getattr(importlib.import_module(self.module), self.name))
            kernel.compile(self.types)
            result = kernel.overloads[self.types]
            if result.signature.return_type != kernel.return_type():
                raise TypeError(f"{self.name} returns a type other than the annotated type")
            address = result.library.get_pointer_to_function(result.fndesc.llvm_func_name)
        cast(Any, codegen).ll.add_symbol(self.symbol, address)

    def _ensure_finalized(self) -> None:
        """Do nothing. numba calls this for every library that it links."""


compile_only: list[bool] = []
"""Not empty in a process that only compiles kernels. The process does not load callees, so it cannot run a kernel that calls
another kernel. This is a list because other modules import it by name.
"""


def _link(library: Any) -> None:
    """Link a kernel with its inner kernels, and register the compiled kernels that the linked code calls."""
    for callee in dict.fromkeys(library._linking_libraries):
        if isinstance(callee, _KernelReference):
            library._reload_init.add(callee)
        else:
            library._reload_init.update(callee._reload_init)
            library._final_module.link_in(callee._get_module_for_linking(), preserve=True)
    library._linking_libraries = []


class _KernelLibrary(cast(Any, JITCodeLibrary)):  # type: ignore[misc]  # numba has no types
    """The code of a compiled kernel, with its own copies of the inner kernels that it calls.

    No other code calls the copies, so LLVM can inline them, or pass them only the fields of an array that they use.
    """

    def finalize(self) -> None:
        public_names = {function.name for function in self.get_defined_functions()}
        _link(self)
        for bind_symbol in self._reload_init:
            bind_symbol()
        for function in self.get_defined_functions():
            if function.name not in public_names:
                function.linkage = "internal"
        super().finalize()

    def _optimize_functions(self, module: Any) -> None:
        """Skip the optimization of individual functions, because the whole kernel is optimized later."""
        module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self) -> None:
        """Optimize the kernel once. numba does it twice, with a pass for reference counts in between."""
        passes, builder = self._codegen._module_pass_manager()
        passes.run(self._final_module, builder)

    def serialize_using_object_code(self) -> object:
        """Return the machine code for the cache, and a module that contains only the symbols.

        In numba's version, the module contains all the code, so that other libraries can link it.
        """
        self._ensure_finalized()
        module = self._final_module
        symbols = [
            f'@"{symbol.name}" = global i8 0'
            for symbol in (*module.functions, *module.global_variables)
            if not symbol.is_declaration and symbol.linkage.name not in {"internal", "private"}
        ]
        symbol_module = cast(Any, codegen).ll.parse_assembly("\n".join(symbols))
        return self.name, "object", (self._get_compiled_object(), symbol_module.as_bitcode())


class _KernelCompiler(cast(Any, CompilerBase)):  # type: ignore[misc]  # numba has no types
    """numba's compiler without the steps for closures, generators, exceptions and array expressions."""

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

    def __init__(self, typing: Any, target: Any, library: Any, *others: Any) -> None:
        if library is None:
            library = _KernelLibrary(target.codegen(), "kernel")
            library.enable_object_caching()
        super().__init__(typing, target, library, *others)
        self.state.typingctx = _Typing(typing)
        if compile_only:
            print(flush=True)  # the parent process counts these lines to measure progress

    def define_pipelines(self) -> list[Any]:
        steps = cast(Any, PassManager)("kernel")
        for step in self._STEPS:
            steps.add_pass(step, step.__name__)
        steps.finalize()
        return [steps]


class _CompiledKernel(cast(Any, CPUDispatcher)):  # type: ignore[misc]  # numba has no types
    """A kernel that Python or other kernels call. It is compiled once, not into each calling kernel."""

    _typing: ClassVar = cast(Any, typing)
    _RETURN_TYPES: ClassVar = {"None": types.none, "bool": types.boolean, "int": types.int64}

    def return_type(self) -> object:
        return self._RETURN_TYPES[self.py_func.__annotations__["return"]]

    def get_call_template(self, args: Any, _keywords: Any) -> Any:
        """Return the template for calls from other kernels. This kernel need not be compiled yet."""
        args = tuple(map(types.unliteral, args))
        kernel = self.py_func
        return_type = self.return_type()
        reference = self.get_overload(args)
        descriptor = cast(Any, FunctionDescriptor)(
            native=True,
            modname=kernel.__module__,
            qualname=kernel.__name__,
            unique_name=kernel.__name__,
            doc=None,
            typemap={},
            restype=return_type,
            calltypes={},
            args=inspect.getfullargspec(kernel).args,
            kws=(),
            mangler=lambda *_, **__: reference.symbol,
            argtypes=args,
        )
        self.targetctx.insert_user_function(reference, descriptor, [reference])
        signatures = [self._typing.signature(return_type, *args)]
        return self._typing.make_concrete_template(kernel.__name__, reference, signatures), None, args, {}

    def get_overload(self, args: Any) -> Any:
        return _KernelReference(self.py_func.__module__, self.py_func.__name__, args)


def compiled(kernel: Kernel) -> Kernel:
    """Compile a function with numba, and cache it on disk if possible.

    Use this for functions that Python calls, and for large functions that several kernels call. The function cannot create
    arrays. If other kernels call it, its return annotation must be ``None``, ``bool`` or ``int``.
    """
    dispatcher = _dispatcher(_CompiledKernel, kernel, _KernelCompiler, _OPTIONS)
    with suppress(RuntimeError):  # raised if there is no cache folder
        dispatcher._cache = cast(Any, _ForgivingCache)(kernel)
    return cast(Kernel, dispatcher)


def _dispatcher(kind: Any, kernel: Kernel, compiler: Any, options: dict[str, Any]) -> Any:
    return kind(kernel, targetoptions={"nopython": True, **options}, pipeline_class=compiler)


class _InnerLibrary(cast(Any, JITCodeLibrary)):  # type: ignore[misc]  # numba has no types
    """The code of an inner kernel, optimized only as part of the kernels that call it."""

    def finalize(self) -> None:
        _link(self)
        self._finalized = True

    _optimize_functions = _KernelLibrary._optimize_functions


class _InnerCompiler(_KernelCompiler):
    """The compiler for inner kernels. It creates no machine code."""

    def __init__(self, typing: Any, target: Any, _library: None, *others: Any) -> None:
        super().__init__(typing, target, _InnerLibrary(target.codegen(), "inner"), *others)
        flags = self.state.flags
        flags.no_compile = flags.no_cpython_wrapper = True


class _InnerKernel(cast(Any, CPUDispatcher)):  # type: ignore[misc]  # numba has no types
    """A kernel that only other kernels call."""

    def add_overload(self, result: Any) -> None:
        result = result._replace(entry_point=object())
        self.targetctx.insert_user_function(result.entry_point, result.fndesc, [result.library])
        self.overloads[tuple(result.signature.args)] = result

    def _compile_for_args(self, *_arguments: object, **_keywords: object) -> object:
        """Return the uncompiled function for a call from Python."""
        return self.py_func


def inner_kernel(kernel: Kernel) -> Kernel:
    """Compile a function as part of the kernels that call it, which is much faster than compiling it separately.

    The function cannot create arrays. If Python calls it, it runs uncompiled.
    """
    return cast(Kernel, _dispatcher(_InnerKernel, kernel, _InnerCompiler, _OPTIONS))


def inlined(kernel: Kernel) -> Kernel:
    """Compile an inner kernel that is always inlined. Use this for functions that take less time than a call."""
    return cast(Kernel, _dispatcher(_InnerKernel, kernel, _InnerCompiler, {**_OPTIONS, "forceinline": True}))


@intrinsic
def _count_ones(_context: Any, mask: Any) -> Any:
    def generate(_target: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(mask), generate


bit_count = cast("Callable[[int], int]", _count_ones)

to_int64 = cast("Callable[[object], int]", np.int64)
"""Converts an item of an array to a 64-bit integer, because numba may otherwise calculate with a narrower or unsigned type."""


@intrinsic
def _prefetch(_context: Any, array: Any, index: Any) -> Any:
    def generate(target: Any, builder: Any, signature: Any, args: Any) -> Any:
        _, item = _find_item(target, builder, signature, args)
        address = builder.bitcast(item, _llvm.voidptr_t)
        to_read, locality, data = (_llvm.int32_t(number) for number in (0, 3, 1))
        args = [address, to_read, locality, data]
        kind = _llvm.ir.FunctionType(_llvm.ir.VoidType(), [arg.type for arg in args])
        builder.call(builder.module.declare_intrinsic("llvm.prefetch", [address.type], kind), args)
        return target.get_dummy_value()

    return types.none(array, index), generate


prefetch = cast("Callable[[object, int], None]", _prefetch)
"""Loads an item of an array into the processor's cache in the background."""


@inlined
def lowest_bit(mask: int) -> int:
    """Return the index of the lowest set bit. The mask must not be 0."""
    return bit_count(~mask & (mask - 1))
